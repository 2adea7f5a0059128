import type { Answer } from '../data/use-operation.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { Skeleton } from '../ui/progress.tsx';

export interface NameOfProps {
  readonly answer: Pick<Answer<{ readonly name: string }>, 'data' | 'failure'>;
  /** The record type within a sentence: "offer". */
  readonly kind: string;
  readonly id: string;
}

/** The name in a response; a placeholder while it loads, a text if the record was deleted. The ID is in the tooltip. */
export function NameOf({ answer: { data, failure }, kind, id }: NameOfProps) {
  if (data !== undefined) {
    return (
      <span title={id} dir="auto">
        {data.name}
      </span>
    );
  }
  if (failure === null) return <Skeleton className="inline-block h-3 w-24 max-w-full align-middle" />;
  return (
    <span className="text-soft" title={id}>
      {t.unknownRecord(kind)}
    </span>
  );
}
