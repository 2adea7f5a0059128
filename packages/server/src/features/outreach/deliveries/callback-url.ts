import { isCanonicalUuid } from '../../../platform/ids.ts';

/** The channel that sent a message. */
export interface CallbackChannel {
  readonly tenantId: string;
  readonly channelId: string;
}

/** Returns the URL at which Twilio reports: it names the channel, whose auth token signs the call. */
export const callbackUrl = (url: string, { tenantId, channelId }: CallbackChannel): string =>
  `${url}?channel=${tenantId}.${channelId}`;

/** Reads the channel from a URL that `callbackUrl` returned, or its path and query; null if it names none. */
export function readCallbackUrl(url: string): CallbackChannel | null {
  const [tenantId = '', channelId = '', ...more] =
    new URLSearchParams(url.split('?')[1]).get('channel')?.split('.') ?? [];
  const isChannel = [tenantId, channelId].every(isCanonicalUuid) && more.length === 0;
  return isChannel ? { tenantId, channelId } : null;
}
