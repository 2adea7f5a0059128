import type { deliveryWebhookOperations, RawBody, ReportsAnswer } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { parseForm } from '../../../http/input/coercion.ts';
import { parseJsonBody } from '../../../http/input/json-body.ts';
import { AppError } from '../../../platform/app-error.ts';
import { sameSecret } from '../../../platform/crypto/crypto.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { applyReports, type ReportDeps } from '../deliveries/index.ts';
import type { Reports } from './formats/format.ts';
import { type ParsedBody, readReports } from './formats/read-reports.ts';
import { readWhatsapp } from './formats/whatsapp.ts';
import { badSignature, checkProviderSignature, type SignatureDeps } from './provider-signatures.service.ts';
import { createIsSignedBySns, snsMessageOf } from './sns.ts';
import { answerSubscription } from './subscriptions.service.ts';

export interface DeliveryWebhookPorts extends ReportDeps, Omit<SignatureDeps, 'isSignedBySns' | keyof WebhookKeys> {
  readonly clock: Clock;
  readonly outbound: Pick<Outbound, 'call'>;
  readonly webhookKeys: WebhookKeys;
}

/** What proves calls, besides the keys that the binder checks. */
export interface WebhookKeys extends Pick<SignatureDeps, 'sendgridKey' | 'snsTopics'> {
  readonly whatsappVerifyToken: string | null;
}

/** Handlers of calls of providers (docs/design/api-access.md 12.4 and 22). */
export function deliveryWebhookRoutes(ports: DeliveryWebhookPorts): Handlers<typeof deliveryWebhookOperations> {
  const { webhookKeys, ...shared } = ports;
  const signatures = { ...shared, ...webhookKeys, isSignedBySns: createIsSignedBySns(ports.outbound) };
  return {
    report: async ({ body, headers, until }) => {
      const isProven = headers['X-Webhook-Signature'] !== undefined;
      const parsed = isProven ? parse(body) : parseUnproven(body);
      const now = new Date(ports.clock.now());
      if (!isProven) await checkProviderSignature(signatures, parsed, { bytes: body.bytes, headers, now, until });
      const message = parsed.kind === 'json' ? snsMessageOf(parsed.value) : null;
      if (message?.Type === 'SubscriptionConfirmation') {
        const isNew = (await answerSubscription(ports, message)) === 'confirmed';
        return reply(200, { received: 1, applied: isNew ? 1 : 0, duplicates: isNew ? 0 : 1, ignored: 0 });
      }
      return reply(200, await answerOf(ports, readReports(parsed, headers['X-Provider']), until));
    },
    verifyWhatsapp: async ({ query }) => {
      const isOurs = sameSecret(webhookKeys.whatsappVerifyToken, query['hub.verify_token']);
      if (isOurs && query['hub.mode'] === 'subscribe') return reply(200, query['hub.challenge'] ?? '');
      throw new AppError('forbidden', { detail: 'hub.mode or hub.verify_token is wrong.' });
    },
    reportWhatsapp: async ({ body, until }) => reply(200, await answerOf(ports, readWhatsapp(jsonOf(body)), until)),
  };
}

async function answerOf(ports: ReportDeps, { events, ignored }: Reports, until: number): Promise<ReportsAnswer> {
  const done = await applyReports(ports, events, until);
  return { received: events.length + ignored, ...done, ignored: done.ignored + ignored };
}

function parse({ bytes, mediaType }: RawBody): ParsedBody {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (mediaType !== 'application/x-www-form-urlencoded') return { kind: 'json', value: parseJsonBody(buffer) };
  return { kind: 'form', form: parseForm(buffer.toString('utf8'), 'body') };
}

/** Whoever can't sign learns nothing about the body. */
function parseUnproven(body: RawBody): ParsedBody {
  try {
    return parse(body);
  } catch (error) {
    if (error instanceof AppError) throw badSignature();
    throw error;
  }
}

/** Returns null for a body that isn't JSON: a signed one must not come back. */
function jsonOf(body: RawBody): unknown {
  try {
    const parsed = parse(body);
    return parsed.kind === 'json' ? parsed.value : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
