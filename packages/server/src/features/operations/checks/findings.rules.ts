import type { OfferReach, PolicyFinding } from '@arbiter/contract';
import type { CheckResult, Finding, Subject, Witness } from '@arbiter/lab';

const showSubject = ({ type, id, name, path }: Subject): PolicyFinding['subject'] => ({ type, id, name, path });

export const showWitness = ({ at, profile, attributes, context, segments, channelId }: Witness) => ({
  at: new Date(at).toISOString(),
  profile: { ...profile },
  attributes: { ...attributes },
  context: { ...context },
  segments: [...segments],
  channelId,
});

export const showFinding = ({ code, severity, subject, core, repairs, message }: Finding): PolicyFinding => ({
  code,
  severity,
  subject: showSubject(subject),
  core: core.map(showSubject),
  repairs: repairs.map(({ without, witness }) => ({
    without: without.map(showSubject),
    witness: showWitness(witness),
  })),
  message,
});

/** What a check of one offer says of it. */
export function verdictOf({ findings, witnesses }: CheckResult, offerId: string): OfferReach['verdict'] {
  if (witnesses.has(offerId)) return 'shown';
  const isNever = findings.some(
    ({ severity, subject }) => severity === 'error' && subject.type === 'offer' && subject.id === offerId,
  );
  return isNever ? 'never' : 'unknown';
}
