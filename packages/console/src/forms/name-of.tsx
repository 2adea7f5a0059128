import type { Answer } from '../data/use-operation.ts';
import { listTexts as t } from '../messages/lists.ts';
import { middleCut } from '../ui/format.ts';

export interface NameOfProps {
  readonly answer: Pick<Answer<{ readonly name: string }>, 'data' | 'failure'>;
  /** What the record is, in the middle of a sentence: "offer". */
  readonly kind: string;
  readonly id: string;
}

/** The name in an answer; the id while that is on its way, and words where the record is gone. */
export function NameOf({ answer: { data, failure }, kind, id }: NameOfProps) {
  if (data !== undefined) {
    return (
      <span title={id} dir="auto">
        {data.name}
      </span>
    );
  }
  return (
    <span className="font-mono text-caption text-soft" title={id}>
      {failure === null ? middleCut(id) : t.unknownRecord(kind)}
    </span>
  );
}
