import type { Preview, PreviewRequest, Rendered, RenderRequest } from '@arbiter/contract';
import { compileTemplate, emptyScope } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { getRecord } from '../catalogue-records/index.ts';
import { withIds } from './blocks.rules.ts';
import { checkFields } from './content.service.ts';
import { type ContentRecord, contentSpec, selectVersion } from './content.store.ts';
import { checkParent, mergeWithTemplates } from './content.templates.ts';
import type { ContentParts } from './merge.rules.ts';
import { shownParts } from './shown.rules.ts';

/** Port: returns the attributes that a decision would load for the customer; empty for an unknown customer. */
export type ReadProfile = (tx: Tx, customerId: string) => Promise<Readonly<Record<string, unknown>>>;

/** Escaping rules per kind of channel (docs/design/api-settled.md 46). Other kinds are plain text. */
const templateTypes: ReadonlyMap<string, string> = new Map([
  ['email', 'email_html'],
  ['sms', 'sms_text'],
  ['push', 'push_notification'],
  ['whatsapp', 'whatsapp_template'],
  ['webhook', 'webhook_json'],
  ['in_app', 'in_app_modal'],
  ['web', 'banner'],
  ['mobile', 'banner'],
]);

/**
 * Renders an item as a decision would deliver it: the working copy with the current templates, or one version. A
 * published version uses the templates it froze. Writes nothing.
 */
export async function renderContent(
  tx: Tx,
  id: string,
  request: RenderRequest,
  readProfile: ReadProfile,
): Promise<Rendered> {
  const item = await getRecord(tx, contentSpec, id);
  const parts = await partsToRender(tx, item, request.version);
  const rendered = await renderParts(tx, parts, { ...request, channelType: item.channelType }, readProfile);
  return { version: request.version ?? item.version, ...rendered };
}

/**
 * Renders the parts of an item that isn't stored, with its templates. Throws the 400 errors of `createContent`. Writes
 * nothing.
 */
export async function previewContent(tx: Tx, request: PreviewRequest, readProfile: ReadProfile): Promise<Preview> {
  const parentTemplateId = request.parentTemplateId ?? null;
  checkFields(tx, request, parentTemplateId !== null);
  if (parentTemplateId !== null) await checkParent(tx, parentTemplateId, null);
  const { parts } = await mergeWithTemplates(tx, {
    content: request.content ?? {},
    blocks: withIds(request.blocks ?? []),
    personalization: request.personalization ?? {},
    parentTemplateId,
  });
  return renderParts(tx, parts, request, readProfile);
}

async function renderParts(
  tx: Tx,
  parts: ContentParts,
  request: Omit<PreviewRequest, keyof ContentParts | 'parentTemplateId'>,
  readProfile: ReadProfile,
): Promise<Preview> {
  const { content, personalization, ...markup } = await shownParts(parts);
  const templateType = templateTypes.get(request.channelType) ?? 'plain';
  const template = compileTemplate(content, [], templateType, personalization, { markup });
  const profile = request.customerId === undefined ? {} : await readProfile(tx, request.customerId);
  const scope = Object.assign(emptyScope(), {
    customer: { ...profile, ...request.customer },
    attributes: request.attributes ?? {},
    offer: request.offer ?? {},
  });
  const rendered = template.render(scope, {});
  const { html, text } = rendered;
  return {
    content: { ...rendered },
    html: typeof html === 'string' ? html : null,
    text: typeof text === 'string' ? text : null,
    missing: [...template.missing(scope, {})],
  };
}

async function partsToRender(tx: Tx, item: ContentRecord, version: number | undefined): Promise<ContentParts> {
  if (version === undefined) return (await mergeWithTemplates(tx, item)).parts;
  const found = await selectVersion(tx, item.id, version);
  if (found === null) throw new AppError('not_found', { detail: 'The content item has no such version.' });
  return found.merged ?? found;
}
