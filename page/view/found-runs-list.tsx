import type { ReactNode } from "react";
import type { SearchAnswer } from "../../src/client.ts";
import { nameOf } from "../data/family.ts";
import { useSearch } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import { useNow } from "../hook/use-now.ts";
import { useSelection } from "../hook/use-selection.ts";
import { Moment } from "../part/moment.tsx";
import { Empty, Loading, ProblemNotice } from "../part/problem-notice.tsx";
import { Rows } from "../part/rows.tsx";
import { Status } from "../part/status.tsx";

type Hit = SearchAnswer["hits"][number];

/** The runs whose texts contain the words of `text`, each with the passage. Each opens at the event with the passage. */
export function FoundRunsList({ text }: { text: string }): ReactNode {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useSearch(text);
  const now = useNow(60_000);
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  const selected = useSelection(hits.map(partsOf));
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  const isComplete = data.pages[0]?.isComplete === true;
  if (hits.length === 0 && !isComplete) return <Loading />;
  if (hits.length === 0) {
    return <Empty>No run contains “{text}”. Try fewer words, or only their beginnings.</Empty>;
  }
  return (
    <div className="list">
      {!isComplete && (
        <p className="faint" role="status">
          The journal is still being indexed; more results will appear.
        </p>
      )}
      <Rows
        items={hits}
        height={58}
        label="Runs found"
        selected={selected}
        keyOf={({ run }) => run.id}
        onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
        row={(hit, index) => <FoundRow hit={hit} now={now} isSelected={index === selected} />}
      />
    </div>
  );
}

function partsOf({ run, seq }: Hit): [string, string] {
  return [run.id, String(seq)];
}

function FoundRow({
  hit,
  now,
  isSelected,
}: {
  hit: Hit;
  now: number;
  isSelected: boolean;
}): ReactNode {
  const { run, kind, seq, excerpt } = hit;
  return (
    <a
      className={`found-row ${isSelected ? "selected" : ""}`}
      href={addressOf("runs", ...partsOf(hit))}
      aria-current={isSelected ? "true" : undefined}
    >
      <Status run={run} />
      <span className="what">
        <span>
          <strong>{nameOf(run)}</strong>{" "}
          <span className="faint">
            {kind}, event {seq}
          </span>
        </span>
        <small>
          {excerpt.map(({ text, isMatch }, index) =>
            isMatch ? <mark key={index}>{text}</mark> : text,
          )}
        </small>
      </span>
      <span className="number">
        <Moment time={run.createdAt} now={now} />
      </span>
    </a>
  );
}
