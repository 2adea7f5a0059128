import { type ErrorEntry, type OverlayChange, overlayKinds, type PolicyFile } from '@arbiter/contract';
import { listWords } from '@arbiter/engine';
import { readYaml } from '../../../platform/read-yaml.ts';
import { judgeFiles, placeOf } from './judge.ts';
import { shownRef } from './layout.ts';
import { fileDefaults } from './session.ts';
import { settingsType } from './settings-file.ts';

const kindOf = (type: string): OverlayChange['kind'] | null => overlayKinds.find((kind) => kind === type) ?? null;

/** Returns the changes that try files of policy as code: each is the whole new file of an object. */
export async function overlayOfFolder(
  files: readonly PolicyFile[],
): Promise<{ readonly changes: readonly OverlayChange[]; readonly errors: readonly ErrorEntry[] }> {
  const judged = await judgeFiles({ defaults: fileDefaults(), readLargeYaml: async (text) => readYaml(text) }, files);
  const errors = [...judged.errors];
  const changes: OverlayChange[] = [];
  for (const [path, { kind, ref, body }] of judged.objects) {
    const known = kindOf(kind.type);
    if (known === null) {
      errors.push({ path: placeOf(path, ''), message: `can't be tried; only ${listWords(overlayKinds)} can` });
    } else changes.push({ kind: known, key: shownRef(ref), patch: body, replace: true });
  }
  const settings = kindOf(settingsType);
  if (judged.settings !== null && settings !== null) {
    changes.push({ kind: settings, key: settingsType, patch: judged.settings, replace: true });
  }
  return { changes, errors };
}
