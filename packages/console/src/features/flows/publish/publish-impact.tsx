import type { DecisionFlow } from '@arbiter/contract/catalogue/decision-flows';
import { SegmentImpact } from '../../../forms/impact/segment-impact.tsx';
import { flowPublishTexts as t } from '../../../messages/flows/flow-publish.ts';
import { Section } from '../../../ui/page.tsx';

export interface PublishImpactProps {
  readonly flow: DecisionFlow;
  /** False: the draft has problems, so it can't decide. */
  readonly isSound: boolean;
}

/** Shows what the draft would change for a segment, compared with the live version. */
export function PublishImpact({ flow, isSound }: PublishImpactProps) {
  const isLive = flow.publishedVersions.length > 0;
  const compare = isLive ? { compare: { decisionFlowKey: flow.key, version: 'published' as const } } : {};
  return (
    <Section title={t.impact}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">{isLive ? t.impactText : t.firstImpactText}</p>
        <SegmentImpact
          question={{ flowId: flow.id, version: 'draft', ...compare }}
          blocked={isSound ? null : t.blocked}
          mark={flow.rowVersion}
          outdated={t.outdated}
          sides={{ own: t.draft, other: t.live }}
        />
      </div>
    </Section>
  );
}
