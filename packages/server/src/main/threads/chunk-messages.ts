import { type ErrorCode, errorRegistry } from '@arbiter/contract';
import type { CallSignalMemory, DecisionMetrics } from '../../features/deciding/decisions/index.ts';
import {
  type ChunkNeighbors,
  type ChunkOrder,
  type RunChunks,
  Superseded,
} from '../../features/outreach/campaigns/index.ts';
import { AppError } from '../../platform/app-error.ts';
import type { ComposeOptions } from '../compose-options.ts';

// Messages between a process and its threads that decide for campaigns.

export type ChunkEnd = Awaited<ReturnType<RunChunks>>;
export type ChunkCounts = ChunkOrder['decided'];

/** Settings of a thread, as plain data. */
export interface ChunkThreadSetting extends Pick<ComposeOptions, 'address' | 'config' | 'publicUrl' | 'patience'> {
  readonly callMemory: CallSignalMemory;
}

/** Messages to the thread. `before`: the previous chunk has committed, or failed. */
export type ToChunkThread =
  | { readonly kind: 'chunk'; readonly id: number; readonly order: ChunkOrder }
  | { readonly kind: 'before'; readonly id: number; readonly counts: ChunkCounts }
  | { readonly kind: 'before-failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'close' };

export type FromChunkThread =
  | { readonly kind: 'next'; readonly id: number; readonly decided: Parameters<ChunkNeighbors['allowNext']>[0] }
  | { readonly kind: 'ended'; readonly id: number; readonly end: ChunkEnd }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'observed'; readonly observations: readonly Observation[] }
  | { readonly kind: 'background-failed'; readonly error: SentError };

/** Measurements of a thread that its process exposes. */
const observed = ['batchDecided', 'breakerMoved', 'catalogueRead', 'stageTook', 'webhookAsked'] as const;
type Observed = (typeof observed)[number];
export type Observation = { [Name in Observed]: readonly [Name, ...Parameters<DecisionMetrics[Name]>] }[Observed];

/** Adds what a thread measured to the metrics of the process. */
export function addObservation(metrics: DecisionMetrics, observation: Observation): void {
  const [name] = observation;
  if (name === 'batchDecided') metrics.batchDecided(observation[1], observation[2], observation[3], observation[4]);
  else if (name === 'breakerMoved') metrics.breakerMoved(observation[1], observation[2]);
  else if (name === 'catalogueRead') metrics.catalogueRead(observation[1]);
  else if (name === 'stageTook') metrics.stageTook(observation[1], observation[2]);
  else metrics.webhookAsked(observation[1], observation[2], observation[3]);
}

/** An error as plain data, for another thread. */
export interface SentError {
  readonly kind: 'superseded' | 'app' | 'other';
  readonly code: string;
  readonly detail: string | null;
  readonly retryAfterSeconds: number | null;
  readonly stack: string;
}

export function sentError(error: unknown): SentError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const plain = { code: '', detail: null, retryAfterSeconds: null, stack };
  if (error instanceof Superseded) return { ...plain, kind: 'superseded' };
  if (!(error instanceof AppError)) return { ...plain, kind: 'other' };
  const { code, detail = null, retryAfterSeconds = null } = error;
  return { kind: 'app', code, detail, retryAfterSeconds, stack };
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorRegistry, code);

export function receivedError({ kind, code, detail, retryAfterSeconds, stack }: SentError): Error {
  if (kind === 'superseded') return new Superseded();
  const cause = new Error(stack);
  if (kind === 'other' || !isErrorCode(code)) return new Error('a chunk of a campaign failed', { cause });
  return new AppError(code, {
    ...(detail === null ? {} : { detail }),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    cause,
  });
}
