import {
  CategoryCreate,
  ChannelCreate,
  type CustomField,
  type ErrorEntry,
  PlacementCreate,
  SubCategoryCreate,
} from '@arbiter/contract';
import type {
  SnapshotCategory,
  SnapshotChannel,
  SnapshotInactivePlacement,
  SnapshotPlacement,
  SnapshotSubCategory,
} from '@arbiter/engine';
import { columnDefaults } from '../../../../db/column-defaults.ts';
import { withDefaults } from '../../../catalogue/catalogue-records/index.ts';
import { customFieldProblems, normaliseCustomFields, snapshotFields } from '../../../catalogue/categories/index.ts';
import { readTargeting } from '../../../catalogue/channels/index.ts';
import type { FolderObject } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';

/** Notes why a file can't be applied. `pointer`: JSON Pointer into it. */
export type RefuseFile = (path: string, problems: readonly ErrorEntry[]) => void;

interface FolderChannels {
  readonly channels: readonly SnapshotChannel[];
  readonly placements: readonly SnapshotPlacement[];
  readonly inactivePlacements?: readonly SnapshotInactivePlacement[];
}

/** Returns channels and placements as decisions would read them, by id. */
export function readChannels(objects: readonly FolderObject[], refuse: RefuseFile): FolderChannels {
  const rows = bodiesOf(objects, 'channels', ChannelCreate).map(({ id, body }) => ({
    ...withDefaults(columnDefaults.channels, body),
    id,
  }));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const placements: SnapshotPlacement[] = [];
  const inactivePlacements: SnapshotInactivePlacement[] = [];
  for (const { id, path, body } of bodiesOf(objects, 'placements', PlacementCreate)) {
    const { channelId, name, key = name, slotType, maxSlots, status } = withDefaults(columnDefaults.placements, body);
    const channel = byId.get(channelId);
    const targeting = readTargeting(body.targeting, '/targeting');
    if ('errors' in targeting) refuse(path, targeting.errors);
    if (channel === undefined || 'errors' in targeting) continue;
    const { channelType, couplingMode } = channel;
    if (status !== 'active' || channel.status !== 'active') {
      inactivePlacements.push({ id, name, channelId, channelType, couplingMode });
      continue;
    }
    const { stored } = targeting;
    placements.push({
      ...{ id, channelId, name, key, slotType, maxSlots },
      ...(stored === null ? {} : { targeting: stored }),
    });
  }
  const channels = rows
    .filter(({ status }) => status === 'active')
    .map(({ id, name, channelType, impressionMode, couplingMode }) => ({
      ...{ id, name, channelType, impressionMode, couplingMode },
    }));
  return { channels, placements, ...(inactivePlacements.length === 0 ? {} : { inactivePlacements }) };
}

interface FolderCategories {
  readonly categories: readonly SnapshotCategory[];
  readonly subCategories: readonly SnapshotSubCategory[];
}

/** Returns categories and sub-categories as decisions would read them, by id. */
export function readCategories(objects: readonly FolderObject[], refuse: RefuseFile): FolderCategories {
  const fieldsOf = new Map<string, readonly CustomField[]>();
  const stored = (path: string, fields: readonly CustomField[], inherited: readonly CustomField[] = []) => {
    const problems = customFieldProblems(fields, inherited);
    if (problems.length > 0) refuse(path, problems);
    return normaliseCustomFields(fields);
  };
  const categories = bodiesOf(objects, 'categories', CategoryCreate).map(({ id, path, body }) => {
    const fields = stored(path, body.customFields ?? []);
    fieldsOf.set(id, fields);
    return { id, name: body.name, customFields: snapshotFields(fields) };
  });
  const subCategories = bodiesOf(objects, 'sub-categories', SubCategoryCreate).map(({ id, path, body }) => {
    const { name, categoryId, customFields = [] } = body;
    const fields = stored(path, customFields, fieldsOf.get(categoryId));
    return { id, categoryId, name, customFields: snapshotFields(fields) };
  });
  return { categories, subCategories };
}
