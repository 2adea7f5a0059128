import { webhookHeaders } from '../../../operations/notifications/index.ts';
import { rejected } from '../message.ts';
import { isOutcome, jsonOf, post } from './http-call.ts';
import type { Provider } from './provider.ts';

/**
 * Posts the delivery with its content to the channel's URL, signed like notifications (docs/design/api-access.md 22). The
 * `webhook-id` is the delivery's id in every try, so the receiver recognizes a repetition.
 */
export const sendWithWebhook: Provider = async (deps, config, message) => {
  const { url, secret = null, headers = {} } = config;
  if (url === undefined) return rejected('not_configured');
  const { events: _events, ...row } = message.row;
  const body = JSON.stringify({
    ...{ id: message.id, type: 'delivery', tenantId: message.tenantId, address: message.address },
    ...row,
    sentAt: message.triedAt.toISOString(),
    data: message.content.all,
  });
  const answer = await post(deps.outbound, message.triedAt, {
    url,
    headers: {
      ...headers,
      ...webhookHeaders(message.id, message.triedAt, body, secret),
      'content-type': 'application/json',
    },
    body,
    timeoutMs: message.timeoutMs,
    anyPort: true,
  });
  if (isOutcome(answer)) return answer;
  const responseBody = jsonOf(answer);
  const messageId = [responseBody.providerMessageId, responseBody.messageId, responseBody.id].find(
    (id): id is string => typeof id === 'string' && id !== '',
  );
  return { kind: 'sent', messageId: messageId ?? message.id };
};
