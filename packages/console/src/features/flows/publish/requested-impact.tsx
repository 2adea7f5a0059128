import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useOperation } from '../../../data/use-operation.ts';
import { Loaded } from '../../../forms/loaded.tsx';
import { PublishImpact } from './publish-impact.tsx';
import { useDraftErrors } from './use-draft-errors.ts';

/** What the draft of a flow would change for a segment, for a request to publish it. */
export function RequestedImpact({ flowId }: { readonly flowId: string }) {
  const answer = useOperation(decisionFlowOperations.get, { params: { id: flowId } });
  return (
    <Loaded answer={answer} operation={decisionFlowOperations.get}>
      {(flow) => <Checked flow={flow} />}
    </Loaded>
  );
}

function Checked({ flow }: { readonly flow: Parameters<typeof useDraftErrors>[0] }) {
  return <PublishImpact flow={flow} isSound={useDraftErrors(flow)?.length === 0} />;
}
