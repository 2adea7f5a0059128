import { channelOperations } from '@arbiter/contract/channels';
import { decisionListOperations } from '@arbiter/contract/decision-lists';
import { decisionOperations } from '@arbiter/contract/decisions';
import { type SimulateRequest, simulationOperations } from '@arbiter/contract/simulations';
import { type WhyNotAnswer, whyNotOperations } from '@arbiter/contract/why-not';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { passes } from '../../data/failure.ts';
import { callsLeft } from '../../data/pace.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';

/** The sealed record of a decision; `enabled` false waits. */
export const useRecord = (id: string, enabled = true) =>
  useOperation(decisionOperations.get, { params: { id }, query: {} }, { enabled, keepPrevious: false });

/** A stored trace; null waits. */
export const useTrace = (id: string | null) =>
  useOperation(
    decisionOperations.getTrace,
    { params: { id: id ?? '' } },
    { enabled: id !== null, keepPrevious: false },
  );

/** Decides for show; null waits for a question. */
export const useSimulated = (body: SimulateRequest | null, keepPrevious = false) =>
  useOperation(simulationOperations.run, { body: body ?? {} }, { enabled: body !== null, keepPrevious });

/** The newest decisions, of a customer or before an instant; `everyMs`: again and again. */
export const useLatest = (
  query: { readonly customerId?: string; readonly limit: number; readonly to?: string },
  options: { readonly enabled?: boolean; readonly everyMs?: number | false } = {},
) => useOperation(decisionListOperations.list, { query }, options);

/**
 * The reading of what a decision read. It happens by a press alone and is not repeated by itself, because each is written
 * into the audit log.
 */
export function useInputs(id: string) {
  const { run, busy, failure } = useMutate(decisionOperations.get);
  const [read, setRead] = useState<Awaited<ReturnType<typeof run>>>(null);
  const ask = useCallback(async () => setRead(await run({ params: { id }, query: { include: 'inputs' } })), [id, run]);
  return { ask, busy, failure, record: read };
}

/** Replays that are left to presses when the allowance of a minute runs out. */
const replaysForPresses = 30;

/** The replay of a decision. It runs when it is asked to, because each run is written into the audit log. */
export function useReplay(id: string) {
  const { run, busy, failure } = useMutate(decisionOperations.replay);
  const [replay, setReplay] = useState<Awaited<ReturnType<typeof run>>>(null);
  const ask = useCallback(async () => setReplay(await run({ params: { id }, body: {} })), [id, run]);
  // The allowance is everybody's of the tenant: what is left of it is for those who press.
  const left = callsLeft(decisionOperations.replay);
  return { ask, busy, failure, replay, byPress: left !== null && left < replaysForPresses };
}
export type Replay = ReturnType<typeof useReplay>;

export interface WhyNotQuestion {
  readonly customerId: string;
  readonly offerId: string;
  /** Null: asked of now. */
  readonly decisionId: string | null;
  readonly channel: string | null;
  readonly placement: string | null;
  readonly flowKey: string | null;
}

/** Tries of a question that the server was too busy for, and how long to wait between them in milliseconds. */
const mostTries = 4;
const pauseMs = 1_000;

/**
 * Asks why an offer was not shown, of a record or of now: by a press, because the reading is written into the audit log. The
 * search runs in a thread that a busy server may not have at once; then it is asked again by itself, a few times.
 */
export function useWhyNot() {
  const { run, busy, failure } = useMutate(whyNotOperations.ask);
  const [answer, setAnswer] = useState<WhyNotAnswer | null>(null);
  const [asked, setAsked] = useState<{ readonly question: WhyNotQuestion; readonly tries: number } | null>(null);
  const waits = asked !== null && asked.tries < mostTries && !busy && failure !== null && passes(failure);
  const send = useCallback(
    async (question: WhyNotQuestion, tries: number) => {
      setAnswer(null);
      setAsked({ question, tries });
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
    if (!waits || asked === null) return;
    const timer = setTimeout(() => void send(asked.question, asked.tries + 1), pauseMs);
    return () => clearTimeout(timer);
  }, [waits, asked, send]);
  return { ask: (question: WhyNotQuestion) => send(question, 1), busy: busy || waits, failure, answer };
}

/** The channels of the tenant, and their names by id. */
export function useChannels() {
  const { data } = useOperation(channelOperations.list, { query: { limit: 200 } });
  return useMemo(() => {
    const channels = data?.data ?? [];
    const types = channels.map(({ channelType }) => channelType);
    // A request names a channel by its type; where several are of one, the type is all that is known.
    const ofType = channels.filter(({ channelType }) => types.filter((each) => each === channelType).length === 1);
    const nameOf = new Map([
      ...ofType.map(({ channelType, name }) => [channelType, name] as const),
      ...channels.map(({ id, name }) => [id, name] as const),
    ]);
    return { channels, nameOf };
  }, [data]);
}
