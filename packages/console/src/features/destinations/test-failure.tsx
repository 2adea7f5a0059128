import { notificationOperations } from '@arbiter/contract/operations/notifications';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { destinationTexts as t } from '../../messages/access/destinations.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import type { useTest } from './use-test.ts';

/** Says why a test message didn't arrive. */
export function TestFailure({ test, tested, failure, clear }: ReturnType<typeof useTest>) {
  if (failure === null || tested === null) return null;
  return (
    <Dialog open onOpenChange={clear} title={t.testFailed(tested.name)} width="narrow">
      <FailurePanel failure={failure} operation={notificationOperations.test} retry={() => void test(tested)} />
    </Dialog>
  );
}
