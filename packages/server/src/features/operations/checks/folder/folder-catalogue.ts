import {
  CategoryCreate,
  ContactPolicyCreate,
  CreativeCreate,
  OfferCreate,
  PlacementCreate,
  QualificationRuleCreate,
  RankingProfileCreate,
  SubCategoryCreate,
  type TenantSettings,
} from '@arbiter/contract';
import { needsOfferCategories, type Snapshot, type SnapshotContentItem } from '@arbiter/engine';
import { AppError } from '../../../../platform/app-error.ts';
import { previewPolicy } from '../../../catalogue/contact-policies/index.ts';
import { previewCreative } from '../../../catalogue/creatives/index.ts';
import { type FlowDirectory, offerStatusesOf, type RunnableFlow } from '../../../catalogue/flows/index.ts';
import { type OfferPreview, previewOffer, previewProblems } from '../../../catalogue/offers/index.ts';
import { previewRule } from '../../../catalogue/qualification/index.ts';
import { type HeadContent, headOf, snapshotOf, typesInUse } from '../../../deciding/plans/index.ts';
import { readPatch, settingsOf } from '../../../identity/settings/index.ts';
import type { FolderFiles, FolderObject } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';
import { readContentItems } from './folder-content.ts';
import { readExperiments, readMetrics, readModels } from './folder-models.ts';
import { type RefuseFile, readCategories, readChannels } from './folder-places.ts';
import { readSchemas } from './folder-schemas.ts';

type Lists = ReturnType<typeof readChannels> & ReturnType<typeof readCategories> & ReturnType<typeof readSchemas>;

/** What decisions would read of a folder, as the catalogue of a tenant. */
export interface FolderCatalogue extends Omit<HeadContent, 'lists' | 'flows'> {
  readonly lists: Lists;
  readonly previews: readonly OfferPreview[];
  readonly creatives: Snapshot['creatives'];
  readonly contentItems: readonly SnapshotContentItem[];
}

/** Reads the catalogue by the rules that the operations apply to bodies; `refuse` is told of bodies that they'd reject. */
export async function readFolderCatalogue(
  { objects, settings: patch }: FolderFiles,
  refuse: RefuseFile,
): Promise<FolderCatalogue> {
  const settings = readSettings(patch, refuse);
  const isOn = typesInUse(settings);
  const models = readModels(objects, refuse);
  const { joins, ...schemas } = readSchemas(objects, refuse);
  const lists = { ...readChannels(objects, refuse), ...readCategories(objects, refuse), ...schemas, joins };
  return {
    settings,
    models,
    lists,
    experiments: readExperiments(objects, models, settings.enableExperiments, refuse),
    metrics: settings.enableBehavioralMetrics ? readMetrics(objects) : [],
    rules: readRules(objects, refuse).filter(isOn),
    policies: readPolicies(objects, refuse).filter(isOn),
    rankingProfiles: bodiesOf(objects, 'ranking-profiles', RankingProfileCreate).map(({ id, body: { weights } }) => ({
      id,
      weights: { ...weights },
    })),
    previews: readOffers(objects, settings, refuse),
    creatives: readCreatives(objects, refuse),
    contentItems: settings.enableContentManagement ? await readContentItems(objects) : [],
  };
}

function readSettings(patch: FolderFiles['settings'], refuse: RefuseFile): TenantSettings {
  const read = readPatch(patch);
  if (!('problems' in read)) return settingsOf(read.patch);
  refuse('settings.yaml', read.problems);
  return settingsOf({});
}

function readOffers(
  objects: readonly FolderObject[],
  { enableBudgets, timezone }: TenantSettings,
  refuse: RefuseFile,
): OfferPreview[] {
  const categories = new Map(bodiesOf(objects, 'categories', CategoryCreate).map(({ id, body }) => [id, body]));
  const subCategories = new Map(
    bodiesOf(objects, 'sub-categories', SubCategoryCreate).map(({ id, body }) => [id, body]),
  );
  return bodiesOf(objects, 'offers', OfferCreate).map(({ id, path, body }) => {
    const { categoryId = null, subCategoryId = null } = body;
    const category = categoryId === null ? undefined : categories.get(categoryId);
    const subCategory = subCategoryId === null ? undefined : subCategories.get(subCategoryId);
    const around = {
      zone: timezone,
      category: category === undefined ? null : { id: categoryId!, customFields: [...(category.customFields ?? [])] },
      subCategory:
        subCategory === undefined
          ? null
          : { categoryId: subCategory.categoryId, customFields: [...(subCategory.customFields ?? [])] },
    };
    refuse(path, previewProblems(body, around));
    return previewOffer(id, body, enableBudgets);
  });
}

function readCreatives(objects: readonly FolderObject[], refuse: RefuseFile): Snapshot['creatives'] {
  const channels = new Map(
    bodiesOf(objects, 'placements', PlacementCreate).map(({ id, body }) => [id, body.channelId]),
  );
  return bodiesOf(objects, 'creatives', CreativeCreate).flatMap(({ id, path, body }) => {
    const channel = channels.get(body.placementId ?? '');
    if (channel !== undefined && channel !== body.channelId) {
      refuse(path, [{ path: '/placementId', message: 'must be a placement of the channel' }]);
    }
    return previewCreative(id, body) ?? [];
  });
}

/** Bodies whose assignments no operation takes are refused with its words. */
function readOrRefuse<Result>(path: string, refuse: RefuseFile, read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    refuse(path, error.errors);
    return null;
  }
}

function readRules(objects: readonly FolderObject[], refuse: RefuseFile): Snapshot['rules'] {
  return bodiesOf(objects, 'qualification-rules', QualificationRuleCreate).flatMap(({ id, path, body }) => {
    const preview = readOrRefuse(path, refuse, () => previewRule(id, body));
    refuse(path, preview?.problems ?? []);
    return preview?.rule ?? [];
  });
}

function readPolicies(objects: readonly FolderObject[], refuse: RefuseFile): Snapshot['policies'] {
  return bodiesOf(objects, 'contact-policies', ContactPolicyCreate).flatMap(({ id, path, body }) => {
    const preview = readOrRefuse(path, refuse, () => previewPolicy(id, body));
    refuse(path, preview?.problems ?? []);
    return preview?.policy ?? [];
  });
}

/** Returns what a flow's plan would be compiled from. */
export function folderSnapshot(catalogue: FolderCatalogue, flows: FlowDirectory, flow: RunnableFlow): Snapshot {
  const { previews, creatives, contentItems, policies } = catalogue;
  const statuses = offerStatusesOf(flow);
  const isIn = ({ status }: OfferPreview['offer']): boolean => statuses.some((each) => each === status);
  const offers = previews.map(({ offer }) => offer);
  const named = new Set(creatives.map(({ contentItemId }) => contentItemId));
  const others = offers.filter((offer) => !isIn(offer) && offer.categoryId !== null);
  const { joins, ...lists } = catalogue.lists;
  const content = { ...catalogue, flows, lists: { ...lists, ...(joins.length === 0 ? {} : { joins }) } };
  return snapshotOf(content, headOf(content, flow), {
    offers: offers.filter(isIn),
    creatives,
    otherOffers: needsOfferCategories(policies)
      ? others.map(({ id, categoryId, subCategoryId }) => ({ id, categoryId, subCategoryId }))
      : undefined,
    contentItems: { items: contentItems.filter(({ id }) => named.has(id)) },
  });
}
