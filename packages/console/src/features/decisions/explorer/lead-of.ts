import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { emptyText } from '@arbiter/contract/explanation/texts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import type { Writers } from '../gates/gate-story.ts';

/** Summarizes the decision in a sentence. */
export function leadOf(
  { decidedAt, result }: DecisionRecord,
  { items, channel: channelType, channelId }: Explanation,
  channels: ReadonlyMap<string, string>,
  write: Writers,
): string {
  const [first] = items;
  // The channel's name, or its key if it was deleted.
  const channel = channels.get(channelId ?? first?.channelId ?? channelType ?? '') ?? channelType;
  const place = channel === null ? '' : t.onChannel(channel);
  const at = write.instant(decidedAt);
  if (first !== undefined) return t.leadShown(first.offerName ?? t.unnamed, items.length - 1, place, at);
  const reason = result?.emptyReason ?? null;
  return t.leadEmpty(reason === null ? '' : emptyText(reason).text, place, at);
}
