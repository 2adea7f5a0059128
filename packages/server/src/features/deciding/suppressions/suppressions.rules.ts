import { neverExpires, type SuppressionChange, type SuppressionCreate, type SuppressionScope } from '@arbiter/contract';
import { invalid, refuseProblems } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';

const dayMs = 86_400_000;

/** Returns when a new suppression ends. Throws 400 if the end has passed or two ends are given. */
export function endOf({ expiresAt, days }: Pick<SuppressionCreate, 'expiresAt' | 'days'>, now: Date): Date {
  if (expiresAt !== undefined && days !== undefined) throw invalid('/days', "can't be combined with expiresAt");
  if (days !== undefined) return new Date(now.getTime() + days * dayMs);
  if (expiresAt === undefined) return new Date(neverExpires);
  const end = new Date(expiresAt);
  if (end.getTime() <= now.getTime()) throw invalid('/expiresAt', 'must be in the future');
  return end;
}

/** When a suppression ends after a change; the end that it has may be sent back as it was read, also when it has passed. */
export function changedEnd(
  { expiresAt, days }: Pick<SuppressionChange, 'expiresAt' | 'days'>,
  end: Date,
  now: Date,
): Date {
  if (expiresAt === undefined && days === undefined) return end;
  if (days === undefined && expiresAt !== undefined && new Date(expiresAt).getTime() === end.getTime()) return end;
  return endOf({ ...(expiresAt === undefined ? {} : { expiresAt }), ...(days === undefined ? {} : { days }) }, now);
}

const fixed = ['customerId', 'scope', 'scopeId'] as const;

/** Throws 400 for another customer or scope than the suppression has: those cannot change. */
export function refuseOther(
  row: { readonly [K in (typeof fixed)[number]]: string },
  changes: Pick<SuppressionChange, (typeof fixed)[number]>,
): void {
  const others = fixed.filter((name) => changes[name] !== undefined && changes[name] !== row[name]);
  refuseProblems(
    others.map((name) => ({
      path: `/${name}`,
      message: `can't be changed; leave it out or send ${JSON.stringify(row[name])}`,
    })),
  );
}

/** Returns the target of the scope in its stored form. Throws 400 if scope and id don't match. */
export function targetOf({ scope, scopeId }: Pick<SuppressionCreate, 'scope' | 'scopeId'>): {
  readonly scope: SuppressionScope;
  readonly scopeId: string;
} {
  if (scope === 'global') {
    if (scopeId != null && scopeId !== 'all')
      throw invalid('/scopeId', 'must be omitted, null or all for scope global');
    return { scope, scopeId: 'all' };
  }
  if (scopeId == null) throw invalid('/scopeId', `is required for scope ${scope}`);
  if (!isUuid(scopeId)) throw invalid('/scopeId', 'must be a UUID');
  return { scope, scopeId: scopeId.toLowerCase() };
}
