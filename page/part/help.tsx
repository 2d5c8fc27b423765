import { type ReactNode, useEffect, useRef } from "react";

/** Lists the keys. */
export function Help({
  isOpen,
  views,
  onClose,
}: {
  isOpen: boolean;
  views: readonly { title: string; key: string }[];
  onClose: () => void;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const others: [string, string][] = [
    ["/", "search"],
    ["↑ ↓ or j k", "the previous or next run, question, agent or eval"],
    ["Enter", "open the selected run"],
    ["x", "choose the selected eval, to compare it with another"],
    ["← →", "in a family: fold and unfold, or go to the parent"],
    ["+ − 0", "in a timeline: show less time, more, all"],
    ["< >", "in a timeline: earlier, later"],
    ["v", "in a family: timeline or graph"],
    ["1 2 3 4", "of a run: conversation, steps, details, events"],
    ["y a p n", "answer the question: once, always, by rule, no"],
    ["Esc", "leave a field, close this list"],
    ["?", "this list"],
  ];
  const rows = [...views.map(({ key, title }): [string, string] => [key, title]), ...others];
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl className="details">
        {rows.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
