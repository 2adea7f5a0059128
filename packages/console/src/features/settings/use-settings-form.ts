import { type TenantSettingsAnswer, tenantSettingsOperations } from '@arbiter/contract/identity/tenant-settings';
import { boot, setBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { useDraft } from '../../data/use-draft.ts';
import { useMutate } from '../../data/use-operation.ts';
import { settingsTexts as t } from '../../messages/settings.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { patchOf, type SettingChanges, type SettingName, validChanges } from './settings-changes.ts';

/** The settings with unsaved changes, which stay in this browser until they are saved or discarded. */
export function useSettingsForm(stored: TenantSettingsAnswer) {
  const [changes, setChanges] = useDraft('settings', (draft) => validChanges(draft, stored));
  const { run, busy, failure, clear } = useMutate(tenantSettingsOperations.update);
  const patch = patchOf(stored, changes);
  return {
    values: { ...stored, ...changes },
    changeCount: Object.keys(patch).length,
    isReadOnly: !can(tenantSettingsOperations.update).allowed,
    busy,
    failure,
    set: (change: SettingChanges) => setChanges({ ...changes, ...change }),
    failures: failure?.kind === 'refused' ? failure.problem.errors : [],
    errorOf: (name: SettingName): string | undefined =>
      failure?.kind === 'refused'
        ? failure.problem.errors.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))?.message
        : undefined,
    save: async () => {
      const answer = await run({ body: patch });
      if (answer === null) return;
      setChanges({});
      const block = boot();
      if (block.authenticated) setBoot({ ...block, settings: answer });
      toast({ text: t.saved });
    },
    discard: () => {
      setChanges({});
      clear();
    },
  };
}

export type SettingsForm = ReturnType<typeof useSettingsForm>;
