import type { Plan } from '../plan/plan.ts';
import { didYouMean, listWords, shortenWord } from '../words/word-texts.ts';

/** What a request named, as the answer repeats it. */
export interface AskedTarget {
  readonly channel: string | null;
  readonly channelId: string | null;
  readonly placement: string | null;
}

/**
 * Returns why nothing fits where the request wanted items, and what's available instead; null when the answer is empty
 * for another reason. For people who inspect one answer; not part of the decision.
 */
export function targetHint({ program }: Plan, asked: AskedTarget, emptyReason: string | null): string | null {
  const { channels, placements } = program;
  if (emptyReason === 'no_channel') {
    if (asked.channelId !== null || asked.channel === null) return 'the channel is inactive';
    const types = [...new Set(channels.map(({ channelType }) => channelType))].sort();
    return `no active channel has the type ${shortenWord(asked.channel)}${whatThereIs(asked.channel, types)}`;
  }
  if (emptyReason !== 'no_placement' || asked.placement === null) return null;
  const fits = new Set(
    channels.filter(
      ({ id, channelType }) =>
        (asked.channelId === null || id === asked.channelId) &&
        (asked.channel === null || channelType === asked.channel),
    ),
  );
  const keys = placements
    .filter((_, number) => fits.has(channels[program.placementChannel[number]!]!))
    .map(({ key }) => key);
  const words = [...new Set(keys)].sort();
  return `no active placement has the key ${shortenWord(asked.placement)}${whatThereIs(asked.placement, words)}`;
}

function whatThereIs(word: string, known: readonly string[]): string {
  return known.length === 0 ? '; none are active' : `; active: ${listWords(known)}${didYouMean(word, known)}`;
}
