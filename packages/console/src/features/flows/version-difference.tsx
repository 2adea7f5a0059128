import { decisionFlowVersionOperations } from '@arbiter/contract/catalogue/decision-flow-versions';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { valueText } from '../../messages/catalogue/conditions.ts';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { placeText } from './place-text.ts';

export interface VersionDifferenceProps {
  readonly id: string;
  /** `draft` or the number of a version. */
  readonly from: string;
  readonly to: string;
  /** Shown without differences. */
  readonly sameText?: string;
}

/** What differs between two versions of a flow: nodes added, removed, moved and changed. */
export function VersionDifference({ id, from, to, sameText = t.same }: VersionDifferenceProps) {
  const answer = useOperation(decisionFlowVersionOperations.diff, { params: { id }, query: { from, to } });
  return (
    <Loaded answer={answer} operation={decisionFlowVersionOperations.diff}>
      {({ added, removed, moved, changed, flowConfig }) => {
        const lists = [
          [t.added, added],
          [t.removed, removed],
          [t.moved, moved],
        ] as const;
        const values = [
          ...changed.flatMap(({ nodeId, changes }) => changes.map((one) => ({ ...one, where: nodeId }))),
          ...flowConfig.map((one) => ({ ...one, where: t.flowSettings })),
        ];
        if (values.length === 0 && lists.every(([, ids]) => ids.length === 0)) {
          return <p className="text-soft">{sameText}</p>;
        }
        return (
          <dl className="divide-y divide-line text-dense">
            {lists
              .filter(([, ids]) => ids.length > 0)
              .map(([word, ids]) => (
                <div key={word} className="grid gap-x-4 py-1.5 sm:grid-cols-[12rem_1fr]">
                  <dt className="text-soft">{word}</dt>
                  <dd>{ids.join(', ')}</dd>
                </div>
              ))}
            {values.map(({ where, path, before, after }) => (
              <div key={`${where} ${path}`} className="grid gap-x-4 py-1.5 sm:grid-cols-[12rem_1fr]">
                <dt className="min-w-0 break-words text-soft">
                  {where} <span className="text-ink">{placeText(path)}</span>
                </dt>
                <dd className="flex flex-wrap items-center gap-1.5">
                  <del className="rounded-control bg-block-soft px-1 text-ink decoration-block">
                    {valueText(before)}
                  </del>
                  <span aria-hidden className="text-faint">
                    →
                  </span>
                  <ins className="rounded-control bg-pass-soft px-1 text-ink no-underline">{valueText(after)}</ins>
                </dd>
              </div>
            ))}
          </dl>
        );
      }}
    </Loaded>
  );
}
