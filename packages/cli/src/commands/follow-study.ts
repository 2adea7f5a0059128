import { setTimeout as sleep } from 'node:timers/promises';
import type { Study } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import type { Call } from '../command.ts';

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** Returns a word of the API as people write it: "newly empty" for `newly_empty`. */
export const wordsOf = (word: string): string => word.replaceAll('_', ' ');

/** Returns a sentence about a study that ended without a result. */
export function endOf(kind: string, status: Study['status'], error: Study['error']): string {
  if (status === 'cancelled') return `The ${kind} was cancelled.`;
  if (error === 'plan_missing') return `The ${kind} failed: its plan is missing.`;
  if (error === 'timed_out') return `The ${kind} failed: selecting its records took too long. Choose a shorter range.`;
  return `The ${kind} failed. Try again.`;
}

/** Polls a study until it ends, with growing pauses. Prints progress to standard error. */
export async function followStudy(call: Call, client: Client, id: string): Promise<Study> {
  let printed = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const study = await client.studies.get({ params: { id } });
    const { status, progress } = study;
    if (status !== 'queued' && status !== 'running') return study;
    const line =
      progress.total === 0 ? 'Waiting for a worker' : `${progress.decisions} of ${progress.total} decisions judged`;
    if (line !== printed && !call.flags.flag('json')) call.warn(line);
    printed = line;
    await sleep(pauseMs);
  }
}
