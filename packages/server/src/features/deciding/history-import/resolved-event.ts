import type { OutcomeTypeFacts } from '../../catalogue/outcomes/index.ts';
import type { pricesOf } from '../volumes/index.ts';
import type { ImportedEvent } from './line.rules.ts';

/** An event with all that it names. */
export interface ResolvedEvent {
  readonly event: ImportedEvent;
  readonly keyHash: Buffer;
  readonly outcome: OutcomeTypeFacts;
  readonly offerId: string;
  readonly categoryId: string | null;
  readonly prices: ReturnType<typeof pricesOf>;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
}
