import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemNotice } from "./problem-notice.tsx";

/** A button whose work may fail. It shows the problem beside it. */
export function Action({
  title,
  work,
  kind = "",
  isDisabled = false,
}: {
  title: string;
  work: () => Promise<unknown>;
  kind?: "" | "primary" | "danger" | "quiet";
  isDisabled?: boolean;
}): ReactNode {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: work,
    onSettled: async () => await client.invalidateQueries(),
  });
  return (
    <>
      <button
        type="button"
        className={kind}
        disabled={isPending || isDisabled}
        onClick={() => mutate()}
      >
        {title}
      </button>
      <ProblemNotice error={error} />
    </>
  );
}
