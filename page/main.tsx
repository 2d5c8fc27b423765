// The page of `cadre serve`, in React: its start, and the choice of the view.

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "../src/client.ts";
import { App } from "./app.tsx";
import { chooseProject } from "./data/api.ts";
import { useProject } from "./data/route.ts";

/** Creates a client that repeats requests while the server restarts. A refusal is final. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) =>
          count < 5 && error instanceof ApiError && error.code === "unreachable",
        retryDelay: 1000,
        refetchOnWindowFocus: false,
      },
    },
  });
}

/** The page of the project in the address. Data of one project is never shown as another's. */
function Page(): ReactNode {
  const project = useProject();
  return <ProjectPage key={project} project={project} />;
}

function ProjectPage({ project }: { project: string }): ReactNode {
  const [client] = useState(() => {
    chooseProject(project);
    return createQueryClient();
  });
  return (
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  );
}

const root = document.querySelector("#root");
if (root === null) throw new Error("The document has no element for the page.");
createRoot(root).render(<Page />);
