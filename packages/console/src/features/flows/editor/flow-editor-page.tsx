import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useOperation } from '../../../data/use-operation.ts';
import { refusalOf } from '../../../forms/editing/role-refusal.tsx';
import { Loaded } from '../../../forms/loaded.tsx';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { flowTexts } from '../../../messages/flows/flows.ts';
import { addresses } from '../../../route/addresses.ts';
import { useParam, useSearch } from '../../../route/use-address.ts';
import { Page } from '../../../ui/page.tsx';
import { FlowSearch } from '../flow-search.ts';
import { FlowWorkbench } from './flow-workbench.tsx';

/** The editor of a flow's draft. */
export function FlowEditorPage() {
  const id = useParam('id');
  const [search, change] = useSearch(FlowSearch);
  const answer = useOperation(decisionFlowOperations.get, { params: { id } });
  const flow: DecisionFlow | undefined = answer.data;
  const list = { title: flowTexts.flows, to: addresses.flows() };
  return (
    <Page
      width="wide"
      title={t.draftOf(flow?.name ?? flowTexts.flow)}
      parents={[list, { title: flow?.name ?? flowTexts.flow, to: addresses.flow(id) }]}
    >
      <Loaded answer={answer} operation={decisionFlowOperations.get} instead={list}>
        {(body) =>
          refusalOf(decisionFlowOperations.updateById, { title: body.name, to: addresses.flow(id) }) ?? (
            <FlowWorkbench key={body.id} flow={body} search={search} onChange={change} />
          )
        }
      </Loaded>
    </Page>
  );
}
