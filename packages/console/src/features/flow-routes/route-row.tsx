import { type FlowRoute, flowRouteOperations } from '@arbiter/contract/catalogue/flow-routes';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { deleteLater, undoMs } from '../../data/pending-deletions.ts';
import { useMutate } from '../../data/use-operation.ts';
import { routeTexts as t } from '../../messages/catalogue/flow-routes.ts';
import { deletionTexts } from '../../messages/lists/editing.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { type RoutedPlace, type RouteReason, resolveRoute, routeOf } from './resolved.ts';
import { SetRoute } from './set-route.tsx';

interface NamedFlow {
  readonly id: string;
  readonly name: string;
}

/** What decides which flow answers. */
export interface Routing {
  readonly routes: readonly FlowRoute[];
  readonly canRun: (flowId: string) => boolean;
  /** The default flow, if it can run. */
  readonly fallback: NamedFlow | null;
}

export interface RouteRowProps {
  readonly routing: Routing;
  readonly place: RoutedPlace;
  readonly name: string;
  /** Shown in place of the name. */
  readonly label?: string;
  readonly channel?: string;
  readonly isInactive?: boolean;
}

function reasonText(reason: RouteReason, channel: string, hasFlow: boolean): string {
  if (!hasFlow) return t.why.none;
  return reason === 'channel' ? t.why.channel(channel) : t.why[reason];
}

/** A place: the flow that answers there, the reason, and its own route. */
export function RouteRow({ routing, place, name, label = name, channel = '', isInactive = false }: RouteRowProps) {
  const { reason, route, skipped } = resolveRoute(routing.routes, place, routing.canRun);
  const flow = route?.decisionFlow ?? routing.fallback;
  const own = routeOf(routing.routes, place);
  return (
    <li className="grid items-start gap-x-4 gap-y-1 px-4 py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto]">
      <span className={`min-w-0 break-words ${place.placementId === null ? 'font-medium' : 'md:ps-4'}`}>
        {label}
        {isInactive ? <span className="ms-2 text-caption text-soft">{t.inactive}</span> : null}
      </span>
      <span className="min-w-0">
        <span className="text-soft">{t.answers}</span>{' '}
        {flow === null ? t.nobody : <Link to={addresses.flow(flow.id)}>{flow.name}</Link>}
        <span className="block text-dense text-soft first-letter:uppercase">
          {reasonText(reason, channel, flow !== null)}
          {own !== null && own.id === route?.id ? ` · ${t.priority(own.priority)}` : ''}
        </span>
        {skipped.map(({ id, decisionFlow }) => (
          <span key={id} className="block text-dense text-warn">
            {t.skipped(decisionFlow.name)}
          </span>
        ))}
      </span>
      <Actions own={own} place={place} name={name} />
    </li>
  );
}

interface ActionsProps {
  readonly own: FlowRoute | null;
  readonly place: RoutedPlace;
  readonly name: string;
}

function Actions({ own, place, name }: ActionsProps) {
  const [isSetting, setSetting] = useState(false);
  const { done } = useMutate(flowRouteOperations.deleteById);
  const mayWrite = can(flowRouteOperations.create);
  const reason = mayWrite.allowed ? null : t.needsRole(mayWrite.needs);
  const clear = ({ id }: FlowRoute) => {
    const undo = deleteLater(id, () => {
      void done({ params: { id } }).then((isDone) => toast({ text: isDone ? t.cleared(name) : t.kept(name) }));
    });
    toast({
      text: t.clearing(name),
      staysMs: undoMs,
      action: { label: deletionTexts.undo, run: () => void (undo() && toast({ text: t.kept(name) })) },
    });
  };
  return (
    <span className="flex flex-wrap gap-2">
      <Button
        size="small"
        aria-label={own === null ? t.setOf(name) : t.changeOf(name)}
        disabledReason={reason}
        onClick={() => setSetting(true)}
      >
        {own === null ? t.set : t.change}
      </Button>
      {own === null ? null : (
        <Button
          size="small"
          kind="quiet"
          aria-label={t.clearOf(name)}
          disabledReason={reason}
          onClick={() => clear(own)}
        >
          {t.clear}
        </Button>
      )}
      {isSetting ? <SetRoute own={own} place={place} name={name} onClose={() => setSetting(false)} /> : null}
    </span>
  );
}
