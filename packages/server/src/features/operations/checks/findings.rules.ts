import type { OfferReach } from '@arbiter/contract';
import type { CheckResult } from '@arbiter/lab';

/** What a check of one offer says of it. */
export function verdictOf({ findings, witnesses }: CheckResult, offerId: string): OfferReach['verdict'] {
  if (witnesses.has(offerId)) return 'shown';
  const isNever = findings.some(
    ({ severity, subject }) => severity === 'error' && subject.type === 'offer' && subject.id === offerId,
  );
  return isNever ? 'never' : 'unknown';
}
