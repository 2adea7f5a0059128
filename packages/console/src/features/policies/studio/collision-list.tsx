import { policyStudioTexts as t } from '../../../messages/outlook/policy-studio.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Link } from '../../../ui/link.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { CapLimit } from './cap-limits.ts';
import type { Collision } from './collisions.ts';

export interface CollisionListProps {
  readonly collisions: readonly Collision[];
  readonly isWithoutPolicies: boolean;
}

/** What's wrong with the policies, each with its proof. Nothing here is a guess. */
export function CollisionList({ collisions, isWithoutPolicies }: CollisionListProps) {
  if (isWithoutPolicies) {
    return (
      <Empty
        title={t.noPolicies}
        level={3}
        actions={<ButtonLink to={addresses.policies()}>{t.openPolicies}</ButtonLink>}
      >
        {t.noPoliciesText}
      </Empty>
    );
  }
  if (collisions.length === 0) {
    return (
      <Empty title={t.noCollisions} level={3}>
        {t.noCollisionsText}
      </Empty>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-[72ch] text-dense text-soft">{t.collisionsLead}</p>
      <ul className="flex flex-col gap-2">
        {collisions.map((collision) => (
          <li
            key={keyOf(collision)}
            className="flex min-w-0 flex-col gap-1 rounded-card border border-line bg-surface p-4"
          >
            <span className="flex min-w-0 flex-wrap items-center gap-2">
              <Badge tone="warn">{t.kinds[collision.kind]}</Badge>
              <PolicyLink policy={collision.policy} />
            </span>
            <span className="text-dense break-words">
              <Proof collision={collision} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const keyOf = (collision: Collision): string =>
  [
    ...[collision.kind, collision.policy.id],
    ...(collision.kind === 'implied' ? [collision.by.id, JSON.stringify(collision.limit)] : []),
    ...(collision.kind === 'disjoint' ? [collision.other.id] : []),
    ...(collision.kind === 'mandatory' ? [collision.offer.id] : []),
  ].join(' ');

function PolicyLink({ policy: { id, name } }: { readonly policy: Collision['policy'] }) {
  return (
    <Link to={addresses.policy(id)} className="min-w-0 font-medium break-words">
      <span dir="auto">{name}</span>
    </Link>
  );
}

function Proof({ collision }: { readonly collision: Collision }) {
  const format = useFormat();
  const limit = ({ max, window }: CapLimit) =>
    t.limit(
      format.number(max),
      window.kind === 'rolling' ? t.rolling(format.number(window.hours)) : t.windows[window.kind],
    );
  switch (collision.kind) {
    case 'closed':
      return t.closed;
    case 'idle':
      return t.idle;
    case 'orphan':
      return t.orphan;
    case 'implied':
      return (
        <>
          {t.implied(limit(collision.limit), limit(collision.byLimit))}{' '}
          {collision.by.id === collision.policy.id ? t.ofItself : <PolicyLink policy={collision.by} />}
        </>
      );
    case 'disjoint':
      return (
        <>
          {t.disjoint} <PolicyLink policy={collision.other} />
        </>
      );
    case 'mandatory':
      return (
        <>
          <Link to={addresses.offer(collision.offer.id)}>
            <span dir="auto">{collision.offer.name}</span>
          </Link>{' '}
          {t.mandatory}
        </>
      );
    case 'lifted':
      return (
        <>
          {t.lifted}{' '}
          {collision.lifts.map((policy, at) => (
            <span key={policy.id}>
              {at === 0 ? null : ', '}
              <PolicyLink policy={policy} />
            </span>
          ))}
        </>
      );
  }
}
