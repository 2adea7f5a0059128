import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useEffect } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { readFlow } from '../../flow-canvas/index.ts';
import { RecordPage } from '../../forms/record-page.tsx';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { idTexts } from '../../messages/ui.ts';
import { useParam, useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { later } from '../../ui/later.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useMedia, wideWindow } from '../../ui/use-media.ts';
import { FlowActions } from './flow-actions.tsx';
import { FlowCanvas } from './flow-nodes.tsx';
import { FlowSearch } from './flow-search.ts';
import { FlowWork } from './flow-work.tsx';

/** A separate chunk, loaded with its tab. */
const FlowVersions = later(() => import('./flow-versions.tsx').then((module) => module.FlowVersions));

/** A decision flow: its nodes, what they do for a customer, its versions. */
export function FlowPage() {
  const id = useParam('id');
  const [search, change] = useSearch(FlowSearch);
  const answer = useOperation(decisionFlowOperations.get, { params: { id }, query: { includeDeleted: true } });
  const showsPicture = useMedia(wideWindow) && (search.tab ?? 'nodes') === 'nodes' && search.view !== 'outline';
  useEffect(() => {
    // Load it in parallel with the flow.
    if (showsPicture) FlowCanvas.fetch();
  }, [showsPicture]);
  return (
    <RecordPage
      answer={answer}
      operation={decisionFlowOperations.get}
      kind="decisionFlow"
      id={id}
      badges={badges}
      actions={<FlowActions flow={answer.data} />}
      idOf={({ key }) => <Id id={key} what={idTexts.flowKey} whole />}
    >
      {(body) => (
        <Tabs
          label={t.flow}
          value={body.deletedAt !== null && search.tab === 'versions' ? 'nodes' : (search.tab ?? 'nodes')}
          onChange={(tab) => change({ tab: tab === 'nodes' ? undefined : tab }, { push: true })}
          tabs={[
            { key: 'nodes', label: t.nodes, content: <FlowWork flow={body} search={search} onChange={change} /> },
            ...(body.deletedAt === null
              ? [
                  {
                    key: 'versions',
                    label: t.versions,
                    count: body.publishedVersions.length,
                    content: <FlowVersions flow={body} from={search.from} to={search.to} onCompare={change} />,
                  },
                ]
              : []),
            { key: 'about', label: listTexts.about, content: <About flow={body} /> },
          ]}
        />
      )}
    </RecordPage>
  );
}

/** The live version, and whether the flow is the default. */
function badges({ publishedVersions, isDefault }: DecisionFlow) {
  const live = publishedVersions.at(-1);
  return (
    <>
      {live ? <Badge tone="pass">{t.liveVersion(live.version)}</Badge> : <Badge tone="draft">{t.notLive}</Badge>}
      {isDefault ? <Badge tone="info">{t.isDefault}</Badge> : null}
    </>
  );
}

function About({ flow }: { readonly flow: DecisionFlow }) {
  const format = useFormat();
  const { settings } = readFlow(flow.draftConfig);
  const explore = settings.explore;
  const rate = typeof explore === 'object' && explore !== null ? Reflect.get(explore, 'rate') : undefined;
  const pool = typeof explore === 'object' && explore !== null ? Reflect.get(explore, 'poolSize') : undefined;
  return (
    <div className="max-w-3xl rounded-card border border-line bg-surface px-4 py-2">
      <Facts
        facts={[
          { label: t.key, value: <Id id={flow.key} what={idTexts.flowKey} whole /> },
          { label: t.limit, value: typeof settings.defaultLimit === 'number' ? settings.defaultLimit : null },
          {
            label: t.explore,
            value:
              typeof rate === 'number'
                ? t.exploreText(format.percent(rate), typeof pool === 'number' ? pool : 20)
                : null,
          },
          { label: t.coupling, value: flow.couplingOverride },
          { label: t.autoAssembly, value: flow.autoAssembly ? t.autoOn : t.autoOff },
          { label: listTexts.created, value: format.instant(flow.createdAt) },
          { label: listTexts.changed, value: format.instant(flow.updatedAt) },
        ]}
      />
    </div>
  );
}
