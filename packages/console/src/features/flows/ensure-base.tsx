import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { Sparkles } from 'lucide-react';
import { can } from '../../data/can.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { useLinks } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

const baseKey = 'base';

/** Creates the base flow, published and ready to decide. Hidden once the tenant has it. */
export function EnsureBase() {
  const links = useLinks();
  const { ensureBase, list } = decisionFlowOperations;
  const found = useOperation(list, { query: { search: baseKey, limit: 100 } });
  const mutation = useMutate(ensureBase);
  const permission = can(ensureBase);
  if (found.data === undefined || found.data.data.some(({ key }) => key === baseKey)) return null;
  const create = async () => {
    const base = await mutation.run({});
    if (base === null) {
      toast({ text: t.baseFailed });
      return;
    }
    toast({ text: t.baseCreated });
    links.go(addresses.flow(base.flowId));
  };
  return (
    <Button
      busy={mutation.busy}
      tooltip={t.baseText}
      disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
      icon={<Sparkles aria-hidden className="size-4" />}
      onClick={() => void create()}
    >
      {t.createBase}
    </Button>
  );
}
