import { type Channel, channelOperations } from '@arbiter/contract/catalogue/channels';
import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { flowRouteOperations } from '@arbiter/contract/catalogue/flow-routes';
import { usePendingDeletions } from '../../data/pending-deletions.ts';
import { useList } from '../../data/use-operation.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { routeTexts as t } from '../../messages/catalogue/flow-routes.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { RouteRow, type Routing } from './route-row.tsx';

const all = { query: { limit: 200 } };

type Fallback = Pick<DecisionFlow, 'id' | 'name' | 'isDefault' | 'updatedAt'>;

/** The flow without a route: the default, or the one that changed last if the default can't run. */
const fallbackOf = (runnable: readonly Fallback[]): Fallback | null =>
  runnable.find(({ isDefault }) => isDefault) ??
  runnable.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))[0] ??
  null;

/** Every channel and placement with the flow that answers there, and why. */
export function FlowRoutesPage() {
  const channels = useList(channelOperations.list, all);
  const routes = useList(flowRouteOperations.list, all);
  const flows = useList(decisionFlowOperations.list, all);
  const deletions = usePendingDeletions();
  const reads = [
    { list: channels, operation: channelOperations.list },
    { list: routes, operation: flowRouteOperations.list },
    { list: flows, operation: decisionFlowOperations.list },
  ];
  const isLoading = reads.some(({ list }) => list.loading);
  const runnable = new Set(
    flows.rows.flatMap(({ id, status, publishedVersions }) =>
      status === 'active' && publishedVersions.length > 0 ? [id] : [],
    ),
  );
  const routing: Routing = {
    routes: routes.rows.filter(({ id }) => !deletions.has(id)),
    canRun: (flowId) => runnable.has(flowId),
    fallback: fallbackOf(flows.rows.filter(({ id }) => runnable.has(id))),
  };
  return (
    <Page title={t.title} lead={t.lead}>
      {reads.map(({ list, operation }) =>
        list.failure === null ? null : (
          <FailurePanel key={operation.id} failure={list.failure} operation={operation} retry={list.refresh} />
        ),
      )}
      {isLoading ? (
        <Skeleton className="h-60 w-full" />
      ) : (
        <>
          <Section title={t.everywhere} flush>
            <ul>
              <RouteRow
                routing={routing}
                place={{ channelId: null, placementId: null }}
                name={t.everywhere}
                label={t.rest}
              />
            </ul>
          </Section>
          {channels.rows.map((channel) => (
            <ChannelRoutes key={channel.id} channel={channel} routing={routing} />
          ))}
          {channels.rows.length === 0 && channels.failure === null ? (
            <Empty title={t.noChannels} actions={<CreateLink kind="channel" operation={channelOperations.create} />}>
              {t.noChannelsText}
            </Empty>
          ) : null}
          <p className="flex flex-wrap gap-x-3 text-dense text-soft">
            {routes.asOf === null ? null : <AsOf at={routes.asOf} stale={routes.old} />}
            {reads.every(({ list }) => list.complete) ? null : t.more}
          </p>
        </>
      )}
    </Page>
  );
}

function ChannelRoutes({ channel, routing }: { readonly channel: Channel; readonly routing: Routing }) {
  const { id, name, placements, status } = channel;
  return (
    <Section
      title={name}
      about={status === 'active' ? null : <span className="text-caption text-soft">{t.inactive}</span>}
      actions={<Link to={addresses.channel(id)}>{t.placements(name)}</Link>}
      flush
    >
      <ul className="divide-y divide-line">
        <RouteRow
          routing={routing}
          place={{ channelId: id, placementId: null }}
          name={name}
          label={t.whole}
          channel={name}
        />
        {placements.map((placement) => (
          <RouteRow
            key={placement.id}
            routing={routing}
            place={{ channelId: id, placementId: placement.id }}
            name={placement.name}
            channel={name}
            isInactive={placement.status !== 'active'}
          />
        ))}
      </ul>
    </Section>
  );
}
