import {
  enrollmentDeduplications,
  type TriggerActionType,
  type TriggerCreate,
  triggerActionAliases,
  triggerActionKeys,
} from '@arbiter/contract';
import { didYouMean, listWords } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid, refuseProblems } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/json.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { configProblems, providersAmong } from '../../operations/notifications/index.ts';
import { checkColumns, requireFlow } from '../journeys/index.ts';

/** An action's config, with secrets in clear. */
export type ActionConfig = Readonly<Record<string, unknown>>;

/** The action by its own name. */
export const actionTypeOf = (word: TriggerCreate['actionType']): TriggerActionType =>
  word in triggerActionAliases
    ? triggerActionAliases[word as keyof typeof triggerActionAliases]
    : (word as TriggerActionType);

/**
 * Checks an action's keys and what they name, and returns the config with ids in lower case. Throws 400 with paths, and 400
 * `reference_not_found`.
 * @param path of the config in the body
 * @param keys that the config may have
 */
export async function checkAction(
  tx: Tx,
  actionType: TriggerActionType,
  config: ActionConfig,
  rules: OutboundRules,
  path = '/actionConfig',
  keys: readonly string[] = triggerActionKeys[actionType],
): Promise<ActionConfig> {
  refuseProblems(
    Object.keys(config)
      .filter((key) => !keys.includes(key))
      .map((key) => ({ path: `${path}/${key}`, message: `is not a setting of ${actionType}${didYouMean(key, keys)}` })),
  );
  await checkers[actionType](tx, config, rules, path);
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      key.endsWith('Id') && typeof value === 'string' ? value.toLowerCase() : value,
    ]),
  );
}

type Check = (tx: Tx, config: ActionConfig, rules: OutboundRules, path: string) => Promise<void>;

function requireText(config: ActionConfig, keys: readonly string[], path: string): void {
  for (const key of keys) {
    const value = config[key];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '' || value.length > 255) {
      throw invalid(`${path}/${key}`, 'must be a text of 1 to 255 characters');
    }
  }
}

const checkRecommend: Check = async (tx, config, _rules, path) => {
  requireText(config, ['decisionFlowId', 'decisionFlowKey', 'channel', 'channelId', 'placement'], path);
  const { decisionFlowId, decisionFlowKey, channel, channelId, limit = 1, deliver = false } = config;
  if ((decisionFlowId === undefined) === (decisionFlowKey === undefined)) {
    throw invalid(`${path}/decisionFlowKey`, 'or decisionFlowId is required, and not both');
  }
  if (channel !== undefined && channelId !== undefined) {
    throw invalid(`${path}/channelId`, "can't be combined with channel");
  }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > 50) {
    throw invalid(`${path}/limit`, 'must be an integer from 1 to 50');
  }
  if (typeof deliver !== 'boolean') throw invalid(`${path}/deliver`, 'must be true or false');
  if (decisionFlowKey !== undefined) await requireFlow(tx, String(decisionFlowKey), `${path}/decisionFlowKey`);
  if (decisionFlowId !== undefined) {
    await requireLive(tx, 'decisionFlow', String(decisionFlowId), `${path}/decisionFlowId`);
  }
  if (channelId === undefined) return;
  const { deliveryMode } = await requireLive(tx, 'channel', String(channelId), `${path}/channelId`, ['deliveryMode']);
  if (deliver && deliveryMode === 'api') {
    throw invalid(`${path}/channelId`, 'must not be a channel whose deliveryMode is api, because deliver is true');
  }
};

const checkEnrollment: Check = async (tx, config, _rules, path) => {
  const { journeyId, deduplication } = config;
  if (typeof journeyId !== 'string') throw invalid(`${path}/journeyId`, 'is required');
  await requireLive(tx, 'journey', journeyId, `${path}/journeyId`);
  if (deduplication === undefined || enrollmentDeduplications.some((known) => known === deduplication)) return;
  const known = `${listWords(enrollmentDeduplications)}${didYouMean(deduplication, enrollmentDeduplications)}`;
  throw invalid(`${path}/deduplication`, `must be one of ${known}`);
};

const checkWebhook: Check = async (tx, config, rules, path) => {
  const { providerId, ...own } = config;
  if (providerId === undefined) {
    const moved = ({ path: place, message }: { readonly path: string; readonly message: string }) => ({
      path: place.replace('/config', path),
      message,
    });
    refuseProblems(configProblems('webhook', own, rules).map(moved));
    return;
  }
  if (Object.keys(own).length > 0)
    throw invalid(`${path}/providerId`, "can't be combined with url, secret and headers");
  const id = typeof providerId === 'string' && isUuid(providerId) ? providerId.toLowerCase() : null;
  if (id !== null && (await providersAmong(tx, [id])).has(id)) return;
  const message = 'must be the ID of an existing notification destination';
  throw new AppError('reference_not_found', {
    detail: `${path}/providerId ${message}.`,
    errors: [{ path: `${path}/providerId`, message }],
  });
};

const checkUpdate: Check = async (tx, config, _rules, path) => {
  const { schemaId, set } = config;
  if (typeof schemaId !== 'string') throw invalid(`${path}/schemaId`, 'is required');
  if (!isObject(set) || Object.keys(set).length === 0) {
    throw invalid(`${path}/set`, 'must be an object with new values by column');
  }
  const odd = Object.entries(set).find(([, value]) => typeof value === 'object' && value !== null);
  if (odd !== undefined) throw invalid(`${path}/set/${odd[0]}`, 'must be a text, a number, true, false or null');
  await checkColumns(tx, { schemaId, set }, path);
};

const checkers: Readonly<Record<TriggerActionType, Check>> = {
  recommend: checkRecommend,
  journey_enroll: checkEnrollment,
  webhook: checkWebhook,
  update_attribute: checkUpdate,
};
