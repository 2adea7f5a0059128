import { accountTexts as t } from '../../messages/settings.ts';
import { idTexts } from '../../messages/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';

/** Shows backup codes once. The dialog stays until the user confirms. */
export function BackupCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      open
      mustAnswer
      onOpenChange={() => undefined}
      title={t.codesTitle}
      description={t.codesText}
      footer={
        <>
          <Copy text={codes.join('\n')} what={idTexts.codes} labelled />
          <Button kind="primary" onClick={onClose}>
            {t.codesSaved}
          </Button>
        </>
      }
    >
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-card bg-sunken p-4 font-mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  );
}
