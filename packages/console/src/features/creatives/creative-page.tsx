import { type Creative, creativeOperations } from '@arbiter/contract/catalogue/creatives';
import Type from 'typebox';
import { drillTo } from '../../data/drill.ts';
import { useList, useOperation } from '../../data/use-operation.ts';
import { weightShares } from '../../forms/creatives/weight-shares.ts';
import { DeleteButton } from '../../forms/editing/delete-button.tsx';
import { PauseButton } from '../../forms/editing/pause-button.tsx';
import { EditLink } from '../../forms/editing/record-links.tsx';
import { RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { tokensOf } from '../../forms/texts/shown-texts.ts';
import { valueText } from '../../messages/catalogue/conditions.ts';
import { creativeTexts as t } from '../../messages/catalogue/creatives.ts';
import { templateTypeName } from '../../messages/catalogue/type-names.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam, useSearch } from '../../route/use-address.ts';
import { Facts } from '../../ui/facts.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';
import { Metric } from '../../ui/metric.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Content } from './creative-content.tsx';

/** A separate chunk: it reads the schemas of customers. */
const TokenShare = later(() => import('../../forms/texts/token-share.tsx').then((module) => module.TokenShare));

const Search = Type.Object({ view: Type.Optional(Type.Literal('json')) });

/** One creative: content, placement and performance. */
export function CreativePage() {
  const id = useParam('id');
  const [search, change] = useSearch(Search);
  const answer = useOperation(creativeOperations.get, { params: { id }, query: { includeDeleted: true } });
  return (
    <RecordPage
      answer={answer}
      operation={creativeOperations.get}
      kind="creative"
      id={id}
      actions={
        answer.data === undefined || answer.data.deletedAt !== null ? null : (
          <>
            <DeleteButton
              kind="creative"
              operation={creativeOperations.deleteById}
              id={id}
              name={answer.data.name}
              isSoft={true}
            />
            <PauseButton kind="creative" operation={creativeOperations.updateById} record={answer.data} />
            <EditLink kind="creative" id={id} operation={creativeOperations.updateById} />
          </>
        )
      }
    >
      {(body) => (
        <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
          <div className="flex min-w-0 flex-col gap-4">
            <Content
              creative={body}
              view={search.view ?? 'words'}
              onView={(view) => change({ view: view === 'json' ? 'json' : undefined })}
            />
            <Tokens creative={body} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Where creative={body} />
            <Figures creative={body} />
            <Limits creative={body} />
          </div>
        </div>
      )}
    </RecordPage>
  );
}

interface CreativePartProps {
  readonly creative: Creative;
}

function Where({ creative }: CreativePartProps) {
  const format = useFormat();
  const { offer, offerId, channel, channelId, placement, placementId, templateType, weight, abTestVariant } = creative;
  return (
    <Section title={t.place}>
      <Facts
        facts={[
          {
            label: t.offer,
            value: (
              <Named to={addresses.offer(offerId)} name={offer?.name ?? t.deleted} status={offer?.status ?? 'active'} />
            ),
          },
          {
            label: t.channel,
            value: (
              <Named
                to={addresses.channel(channelId)}
                name={channel?.name ?? t.deleted}
                status={channel?.status ?? 'active'}
              />
            ),
          },
          {
            label: t.placement,
            value:
              placementId === null ? (
                t.anyPlacement
              ) : (
                <Named
                  to={addresses.placement(placementId)}
                  name={placement?.name ?? t.deleted}
                  status={placement?.status ?? 'active'}
                />
              ),
          },
          { label: t.template, value: templateTypeName(templateType) },
          { label: t.weight, value: weight === 0 ? `0 · ${t.weightNone}` : format.number(weight) },
          { label: t.variants, value: <Variants creative={creative} /> },
          { label: t.variant, value: abTestVariant },
          ...versionFacts(creative, format),
        ]}
      />
    </Section>
  );
}

/** The creative's share of customers, and the creatives that compete for its place. */
function Variants({ creative: { id, offerId, channelId, placementId } }: CreativePartProps) {
  const format = useFormat();
  const list = useList(creativeOperations.list, { query: { offerId, channelId, limit: 100 } });
  const shares = weightShares(list.rows, placementId);
  const others = list.rows.filter((other) => other.id !== id && shares.has(other.id));
  const own = shares.get(id);
  if (own === undefined) return <span className="text-soft">{t.notChosen}</span>;
  return (
    <span className="flex flex-col">
      <span>{t.shareOf(format.percent(own))}</span>
      {others.map((other) => (
        <span key={other.id}>
          <Link to={addresses.creative(other.id)}>{other.name}</Link>{' '}
          <span className="text-soft">{format.percent(shares.get(other.id) ?? 0)}</span>
        </span>
      ))}
    </span>
  );
}

/** Links to a related record, with its status if that hides the creative. */
function Named({ to, name, status }: { readonly to: string; readonly name: string; readonly status: string }) {
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-2">
      <Link to={to} dir="auto" className="min-w-0 wrap-anywhere">
        {name}
      </Link>
      {status === 'active' ? null : <StatusBadge status={status} />}
    </span>
  );
}

function Figures({ creative: { metrics, offerId, channelId } }: CreativePartProps) {
  const format = useFormat();
  const seen = metrics.impressions > 0;
  const rate = (percent: number) => (seen ? format.percent(percent / 100, 2) : null);
  return (
    <Section title={t.figures}>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-x-8 gap-y-3">
          <Metric
            label={t.shown}
            value={format.number(metrics.impressions)}
            drill={drillTo({ offerId, channelId }, t.impressionsSay)}
            note={t.impressionsSay}
          />
        </div>
        <Facts
          facts={[
            { label: t.clicks, value: <Counted count={metrics.clicks} rate={rate(metrics.ctr)} /> },
            { label: t.conversions, value: <Counted count={metrics.conversions} rate={rate(metrics.cvr)} /> },
            { label: t.positive, value: format.number(metrics.positive) },
            { label: t.negative, value: format.number(metrics.negative) },
          ]}
        />
        <p className="text-caption text-faint">
          {t.figuresLead} {t.figuresDrill}
        </p>
      </div>
    </Section>
  );
}

function Counted({ count, rate }: { readonly count: number; readonly rate: string | null }) {
  const format = useFormat();
  return (
    <>
      {format.number(count)}
      {rate === null ? null : (
        <span className="text-soft">
          {' '}
          · {rate} {t.perImpression}
        </span>
      )}
    </>
  );
}

function Limits({ creative: { constraints } }: CreativePartProps) {
  const { frequencyCapPerDay, cooldownHours, priorityOverride } = constraints;
  const none = frequencyCapPerDay === undefined && cooldownHours === undefined && priorityOverride === undefined;
  return (
    <Section title={t.limits}>
      {none ? <p className="text-soft">{t.noLimits}</p> : null}
      <Facts
        facts={[
          { label: t.capPerDay, value: frequencyCapPerDay },
          { label: t.cooldown, value: cooldownHours },
          { label: t.priority, value: priorityOverride },
        ]}
      />
    </Section>
  );
}

/** Source and fallback of each token. */
function Tokens({ creative: { content, contentItemId, personalization } }: CreativePartProps) {
  const tokens = tokensOf(content, personalization);
  return (
    <Section title={t.tokens} flush={tokens.length > 0}>
      {tokens.length === 0 ? (
        <p className="text-soft">{contentItemId === null ? t.noTokens : t.noOwnTokens}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard accessible
        <section tabIndex={0} aria-label={t.tokens} className="overflow-x-auto">
          <table className="w-full border-collapse text-dense">
            <thead>
              <tr className="border-b border-line text-caption text-soft">
                {[t.token, t.from, t.fallback].map((head) => (
                  <th
                    key={head}
                    scope="col"
                    className="px-4 py-2 text-start font-medium max-sm:px-2 max-sm:first:ps-4 max-sm:last:pe-4"
                  >
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {tokens.map(({ name, source, fallback }) => (
                <tr key={name} className="border-b border-line last:border-b-0">
                  <th
                    scope="row"
                    className="px-4 py-2 text-start align-top font-normal max-sm:pe-2 max-sm:wrap-anywhere"
                  >
                    <code className="text-caption">{name}</code>
                  </th>
                  <td className="px-4 py-2 align-top max-sm:px-2 max-sm:wrap-anywhere">
                    {source ? (
                      <span className="flex flex-col">
                        <code className="text-caption">{source}</code>
                        <TokenShare source={source} />
                      </span>
                    ) : (
                      <span className="text-soft">{t.noSource}</span>
                    )}
                  </td>
                  <td className="px-4 py-2 align-top max-sm:ps-2 max-sm:wrap-anywhere">
                    {fallback === undefined || fallback === null ? '–' : valueText(fallback)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Section>
  );
}
