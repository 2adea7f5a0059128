import type { PolicyFinding } from '@arbiter/contract';
import type { Finding, Subject, Witness } from '@arbiter/lab';

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

/** Maximum findings in an answer. */
export const maxFindings = 1000;
