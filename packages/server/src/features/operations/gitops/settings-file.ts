import { defaultTenantSettings, type TenantSettings } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { asJson, isObject } from '../../../platform/json.ts';
import { type Members, membersOf, sameJson } from './json.ts';
import { type Ref, refKey } from './layout.ts';
import type { Session } from './session.ts';
import type { Directory } from './tenant-files.ts';

/** The settings of the tenant, as one file: what differs from the default (docs/design/api-settled.md 23). */

export const settingsType = 'settings';
export const settingsRef: Ref = ['settings'];

const defaults = membersOf(asJson(defaultTenantSettings satisfies TenantSettings));

/** The setting that names a record. */
export const profileSetting = 'defaultArbitrationProfileId';

/** What differs from the default, at any depth. `governance` repeats a setting of the top. */
function differing(value: Members, usual: Members): Members {
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const ordinary = usual[name];
    if (ordinary !== undefined && sameJson(inner, ordinary)) return [];
    if (!isObject(inner) || !isObject(ordinary)) return [[name, inner]];
    const rest = differing(inner, ordinary);
    return Object.keys(rest).length === 0 ? [] : [[name, rest]];
  });
  return Object.fromEntries(entries);
}

export function shortSettings(settings: Members): Members {
  const { settingsVersion: _version, aiAnalyzerSettings, ...rest } = settings;
  const { governance: _governance, ...analyzer } = membersOf(aiAnalyzerSettings);
  return differing(aiAnalyzerSettings === undefined ? rest : { ...rest, aiAnalyzerSettings: analyzer }, defaults);
}

export async function readSettingsBody(session: Session, { refs }: Directory): Promise<Members> {
  const settings = membersOf(await session.call('tenantSettings.get', {}));
  const id = settings[profileSetting];
  const named = typeof id === 'string' ? refs.get(id) : undefined;
  const { segments, ...reads } = membersOf(settings.recordReads);
  // Names are taken there as well as ids.
  const called = (Array.isArray(segments) ? segments : []).map((one: Json) => refs.get(String(one))?.ref[0] ?? one);
  const recordReads = { ...reads, segments: called };
  return shortSettings({
    ...settings,
    recordReads,
    ...(named === undefined ? {} : { [profileSetting]: named.ref[0] }),
  });
}

/** The id of the record that the settings name. */
export function settingsValues(body: Members, { ids }: Directory): Members {
  const key = body[profileSetting];
  const id = typeof key === 'string' ? ids.get(refKey('rankingProfile', [key])) : undefined;
  return id === undefined ? body : { ...body, [profileSetting]: id };
}

/** The patch that turns one state of the settings into another: null resets. */
export function settingsPatch(before: Members, after: Members): Members {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const entries = names.flatMap((name): [string, Json][] => {
    const [was, is] = [before[name], after[name]];
    if (is === undefined) return [[name, null]];
    if (was !== undefined && sameJson(was, is)) return [];
    if (isObject(is) && isObject(defaults[name])) return [[name, settingsPatch(membersOf(was), is)]];
    return [[name, is]];
  });
  return Object.fromEntries(entries);
}
