// The page of `cadre serve`: starts it in the document.

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { ApiError } from "../src/client.ts";
import { App } from "./app.tsx";

/** Requests are repeated while the server restarts; a refusal is final. */
const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) =>
        count < 5 && error instanceof ApiError && error.code === "unreachable",
      retryDelay: 1000,
      refetchOnWindowFocus: false,
    },
  },
});

const root = document.querySelector("#root");
if (root === null) throw new Error("The document has no element for the page.");
createRoot(root).render(
  <QueryClientProvider client={client}>
    <App />
  </QueryClientProvider>,
);
