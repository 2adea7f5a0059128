import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { type SimulateRequest, simulationOperations } from '@arbiter/contract/deciding/simulations';
import { type WhyNotAnswer, whyNotOperations } from '@arbiter/contract/deciding/why-not';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { passes } from '../../data/failure.ts';
import { callsLeft } from '../../data/pace.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { saveFile } from '../../ui/save-file.ts';

/** Returns a decision with its explanation, by its own ID, request ID or trace ID; waits while `enabled` is false. */
export function useDecision(id: string, enabled = true) {
  const record = useOperation(
    decisionOperations.get,
    { params: { id }, query: { include: 'explanation' } },
    { enabled, keepPrevious: false },
  );
  // Null while loading, and for an erased customer.
  return { record, explanation: record.data?.explanation ?? null };
}

/** Returns a stored trace; null waits. */
export const useTrace = (id: string | null) =>
  useOperation(
    decisionOperations.getTrace,
    { params: { id: id ?? '' } },
    { enabled: id !== null, keepPrevious: false },
  );

/** Simulates a decision for a customer; null waits. */
export function useSimulated(body: SimulateRequest | null, keepPrevious = false) {
  const answer = useOperation(simulationOperations.run, { body: body ?? {} }, { enabled: body !== null, keepPrevious });
  // The operation also simulates over segments, which this page doesn't.
  const data = answer.data !== undefined && 'decisions' in answer.data ? answer.data : undefined;
  return { ...answer, data };
}

/** Returns the newest decisions of a customer or before an instant, refreshed every `everyMs`. */
export const useLatest = (
  query: { readonly customerId?: string; readonly limit: number; readonly to?: string },
  options: { readonly enabled?: boolean; readonly everyMs?: number | false } = {},
) => useOperation(decisionListOperations.list, { query }, options);

/** Reads the inputs of a decision. Only on demand and never retried, because each read is recorded in the audit log. */
export function useInputs(id: string) {
  const { run, busy, failure } = useMutate(decisionOperations.get);
  const [read, setRead] = useState<Awaited<ReturnType<typeof run>>>(null);
  const ask = useCallback(async () => setRead(await run({ params: { id }, query: { include: 'inputs' } })), [id, run]);
  return { ask, busy, failure, record: read };
}

/** Replays reserved for the button when the rate limit runs low. */
const replaysForPresses = 30;

/** Replays a decision on demand, because each replay is recorded in the audit log. */
export function useReplay(id: string) {
  const { run, busy, failure } = useMutate(decisionOperations.replay);
  const [replay, setReplay] = useState<Awaited<ReturnType<typeof run>>>(null);
  const ask = useCallback(async () => setReplay(await run({ params: { id }, body: {} })), [id, run]);
  // The whole tenant shares the rate limit: keep the rest for the button.
  const left = callsLeft(decisionOperations.replay);
  return { ask, busy, failure, replay, byPress: left !== null && left < replaysForPresses };
}
/** Downloads the proof of a decision. Only on demand, because the audit log records each download. */
export function useProofFile(id: string) {
  const { run, busy, failure } = useMutate(decisionOperations.proof);
  const save = useCallback(async () => {
    const page = await run({ params: { id } });
    if (page !== null) saveFile(`proof-${id}.html`, 'text/html;charset=utf-8', page);
  }, [id, run]);
  return { save, busy, failure };
}
export type Replay = ReturnType<typeof useReplay>;

export interface WhyNotQuestion {
  readonly customerId: string;
  readonly offerId: string;
  /** Null for a new decision. */
  readonly decisionId: string | null;
  readonly channel: string | null;
  readonly placement: string | null;
  readonly flowKey: string | null;
}

/** Number of attempts when the server is busy, and the wait between them in milliseconds. */
const maxTries = 4;
const pauseMs = 1_000;

/**
 * Explains why an offer wasn't shown, in a record or now. On demand, because it's recorded in the audit log. The search needs
 * a thread, so a busy server is retried a few times.
 */
export function useWhyNot() {
  const { run, busy, failure } = useMutate(whyNotOperations.ask);
  const [answer, setAnswer] = useState<WhyNotAnswer | null>(null);
  const [request, setRequest] = useState<{ readonly question: WhyNotQuestion; readonly tries: number } | null>(null);
  const waits = request !== null && request.tries < maxTries && !busy && failure !== null && passes(failure);
  const send = useCallback(
    async (question: WhyNotQuestion, tries: number) => {
      setAnswer(null);
      setRequest({ question, tries });
      const { customerId, offerId, decisionId, channel, placement, flowKey } = question;
      const now = {
        ...(channel === null ? {} : { channel }),
        ...(placement === null ? {} : { placement }),
        ...(flowKey === null ? {} : { flowId: flowKey }),
      };
      const query = decisionId === null ? now : { decisionId };
      setAnswer(await run({ params: { customerId, offerId }, query }));
    },
    [run],
  );
  useEffect(() => {
    if (!waits || request === null) return;
    const timer = setTimeout(() => void send(request.question, request.tries + 1), pauseMs);
    return () => clearTimeout(timer);
  }, [waits, request, send]);
  return { ask: (question: WhyNotQuestion) => send(question, 1), busy: busy || waits, failure, answer };
}

/** Returns the tenant's channels and their names by ID. */
export function useChannels() {
  const { data } = useOperation(channelOperations.list, { query: { limit: 200 } });
  return useMemo(() => {
    const channels = data?.data ?? [];
    const types = channels.map(({ channelType }) => channelType);
    // Requests may name a channel by type. With several of that type, only the type is known.
    const ofType = channels.filter(({ channelType }) => types.filter((each) => each === channelType).length === 1);
    const nameOf = new Map([
      ...ofType.map(({ channelType, name }) => [channelType, name] as const),
      ...channels.map(({ id, name }) => [id, name] as const),
    ]);
    return { channels, nameOf };
  }, [data]);
}
