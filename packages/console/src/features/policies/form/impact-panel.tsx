import { estimateOperations, type ImpactPreview } from '@arbiter/contract/deciding/estimates';
import { useState } from 'react';
import { useMutate } from '../../../data/use-operation.ts';
import { sameValue } from '../../../forms/editing/changes.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { SegmentImpact } from '../../../forms/impact/segment-impact.tsx';
import { policyFormTexts as t } from '../../../messages/catalogue/policy-form.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import {
  type ImpactQuestion,
  impactQuestion,
  type ProjectedCap,
  type StoredPolicy,
  simulationOf,
  type TriedPolicy,
} from './impact.ts';

export interface ImpactPanelProps {
  /** The stored policy; null for a new one. */
  readonly stored: StoredPolicy | null;
  readonly tried: TriedPolicy;
}

/** What the policy would change, before it's saved: for a segment, and for a cap in recent traffic. */
export function ImpactPanel({ stored, tried }: ImpactPanelProps) {
  const caps = impactQuestion(tried.ruleType, tried.config, tried.scopes);
  return (
    <Section title={t.impact}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-col gap-3">
          <p className="text-soft">{t.simulateText}</p>
          <SegmentImpact
            question={simulationOf(stored, tried)}
            blocked={null}
            outdated={t.outdatedSimulation}
            sides={stored === null ? t.newSides : t.changeSides}
          />
        </div>
        {tried.ruleType === 'frequency_cap' ? <RecentTraffic question={caps} /> : null}
      </div>
    </Section>
  );
}

interface Projected {
  readonly cap: ProjectedCap;
  readonly preview: ImpactPreview;
}

/** What a cap would have prevented. */
function RecentTraffic({ question }: { readonly question: ImpactQuestion }) {
  const [shown, setShown] = useState<readonly Projected[]>([]);
  const { run, busy, failure } = useMutate(estimateOperations.impactPreview);
  const caps = question.kind === 'ask' ? question.caps : [];
  const project = async () => {
    const projected: Projected[] = [];
    for (const cap of caps) {
      const preview = await run({ body: cap.body });
      if (preview === null) return;
      projected.push({ cap, preview });
    }
    setShown(projected);
  };
  const isOld =
    shown.length > 0 &&
    !sameValue(
      caps.map(({ body }) => body),
      shown.map(({ cap }) => cap.body),
    );
  return (
    <div className="flex flex-col items-start gap-3 border-t border-line pt-4">
      <h3 className="text-dense font-semibold">{t.recent}</h3>
      {question.kind === 'never' ? (
        <p className="text-soft">{question.reason === 'scope' ? t.impactScope : t.impactNone}</p>
      ) : (
        <>
          <p className="text-soft">
            {t.impactText} {t.counted}
          </p>
          <Button busy={busy} onClick={() => void project()}>
            {shown.length === 0 ? t.preview : t.again}
          </Button>
        </>
      )}
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={estimateOperations.impactPreview} retry={() => void project()} />
      )}
      <div role="status" className="flex flex-col gap-4">
        {shown.map(({ cap, preview }) => (
          <Projection key={`${cap.most} ${cap.days}`} cap={cap} preview={preview} />
        ))}
        {isOld ? <p className="text-warn">{t.outdated}</p> : null}
      </div>
    </div>
  );
}

function Projection({ cap, preview }: Projected) {
  const format = useFormat();
  const { totalCustomersAnalyzed: sampled, customersAffected, affectedPercent, topAffectedSegments } = preview;
  return (
    <div className="flex flex-col gap-1">
      <h4 className="text-dense text-soft">{t.period(format.number(cap.most), format.number(cap.days))}</h4>
      {sampled === 0 ? (
        <p>{t.noTraffic}</p>
      ) : (
        <>
          <p className="font-medium">
            {t.affected(
              format.percent(affectedPercent / 100),
              format.number(customersAffected),
              format.number(sampled),
            )}
          </p>
          <p className="text-dense">
            {t.offers(format.number(preview.avgOffersBeforePolicy), format.number(preview.avgOffersAfterPolicy))}
          </p>
          {topAffectedSegments.length === 0 ? null : (
            <div className="text-dense">
              <h5 className="text-soft">{t.segments}</h5>
              <ul>
                {topAffectedSegments.map(({ segment, affected, total }) => (
                  <li key={segment}>{t.segmentOf(segment, format.number(affected), format.number(total))}</li>
                ))}
              </ul>
            </div>
          )}
        </>
      )}
    </div>
  );
}
