import { type Channel, channelOperations } from '@arbiter/contract/catalogue/channels';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { PolicyName } from './policy-name.tsx';
import { emptyTitle } from './reasons.ts';
import { refusalsOf } from './refusals.ts';
import { maxChannels, useActiveChannels, useNow } from './use-now.ts';

/** What each active channel would show the customer now. */
export function NowRow({ customerId }: { readonly customerId: string }) {
  const channels = useActiveChannels();
  const active = channels.data?.data ?? [];
  const left = active.length - maxChannels;
  return (
    <Section title={t.now} about={<span className="text-caption text-soft">{t.nowHelp}</span>}>
      {channels.failure === null ? null : (
        <FailurePanel failure={channels.failure} operation={channelOperations.list} retry={channels.refresh} />
      )}
      {channels.data !== undefined && active.length === 0 ? <p className="text-soft">{t.nowNone}</p> : null}
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2 xl:grid-cols-4">
        {active.slice(0, maxChannels).map((channel) => (
          <li key={channel.id} className="min-w-0">
            <NowOfChannel customerId={customerId} channel={channel} />
          </li>
        ))}
      </ul>
      {left > 0 ? (
        <p className="mt-2 text-dense">
          <Link to={addresses.simulate({ customer: customerId })}>{t.nowMore(left)}</Link>
        </p>
      ) : null}
    </Section>
  );
}

function NowOfChannel({ customerId, channel }: { readonly customerId: string; readonly channel: Channel }) {
  const format = useFormat();
  const answer = useNow(customerId, channel.id);
  const simulate = addresses.simulate({ customer: customerId, channel: channel.key });
  const simulated = answer.data;
  const best = simulated?.decisions[0];
  return (
    <Link
      to={simulate}
      className="flex h-full gap-x-3 gap-y-1 rounded-card border border-line bg-surface px-3 py-2 no-underline hover:bg-hover max-sm:flex-wrap max-sm:items-baseline max-sm:justify-between sm:min-h-16 sm:flex-col"
    >
      <span dir="auto" className="line-clamp-2 min-w-0 text-caption wrap-anywhere text-soft sm:shrink-0">
        {channel.name}
      </span>
      {answer.loading ? <Skeleton className="h-5 w-2/3" /> : null}
      {answer.failure === null ? null : <Badge tone="warn">{t.nowFailed}</Badge>}
      {best === undefined ? null : (
        <span className="flex min-w-0 items-baseline justify-between gap-2">
          <span className="truncate font-medium text-ink">{best.offerName ?? best.offerId}</span>
          <span className="shrink-0 text-dense tabular-nums text-soft">
            {best.score === undefined ? '' : format.fixed(best.score, 3)}
          </span>
        </span>
      )}
      {simulated !== undefined && best === undefined ? (
        <span className="flex min-w-0 items-center gap-x-2 gap-y-1 max-sm:flex-wrap">
          <span className="shrink-0 font-medium text-ink">{t.nowNothingBy}</span>
          <span className="flex min-w-0">
            <Badge tone="block">
              <Nothing simulated={simulated} />
            </Badge>
          </span>
        </span>
      ) : null}
    </Link>
  );
}

interface NothingProps {
  readonly simulated: NonNullable<ReturnType<typeof useNow>['data']>;
}

/** Why a channel shows nothing: the contact policy that blocked the most offers, if any did. */
function Nothing({ simulated: { emptyReason, meta } }: NothingProps) {
  if (emptyReason === null) return t.nowNothing;
  const [first] = emptyReason === 'contact_policy' ? refusalsOf(meta) : [];
  return first === undefined ? emptyTitle(emptyReason) : <PolicyName id={first.policyId} />;
}
