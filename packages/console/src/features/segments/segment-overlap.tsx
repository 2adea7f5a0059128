import { type Segment, segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { useReferences } from '../../forms/editing/inputs/references.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { segmentFormTexts as t } from '../../messages/catalogue/segment-form.ts';
import { Section } from '../../ui/page.tsx';
import { type Pick, PickField } from '../../ui/pick-field.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** How many members of a segment are in another one too. */
export function SegmentOverlap({ segment }: { readonly segment: Segment }) {
  const format = useFormat();
  const [other, setOther] = useState<Pick | null>(null);
  const { find } = useReferences('segment', undefined);
  const { run, failure } = useMutate(segmentOperations.overlap);
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof run>>>(null);
  const compare = async (pick: Pick | null) => {
    setOther(pick);
    setAnswer(null);
    if (pick !== null && pick.value !== segment.id)
      setAnswer(await run({ body: { segmentIds: [segment.id, pick.value] } }));
  };
  const [overlap] = answer?.overlaps ?? [];
  return (
    <Section title={t.overlap}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">{t.overlapText}</p>
        <PickField
          label={t.compare}
          shown={other?.label ?? ''}
          find={async (text) => (await find(text)).filter(({ value }) => value !== segment.id)}
          onPick={(pick) => void compare(pick)}
        />
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={segmentOperations.overlap} retry={() => void compare(other)} />
        )}
        <div role="status">
          {overlap === undefined || other === null ? null : (
            <p>{t.overlapOf(format.number(overlap.count), other.label, format.percent(overlap.percent / 100))}</p>
          )}
          {answer === null || answer.overlapWarnings.length === 0 ? null : <p className="text-warn">{t.overlapHigh}</p>}
          {answer?.sampled === true ? <p className="text-caption text-soft">{t.sampled}</p> : null}
        </div>
      </div>
    </Section>
  );
}
