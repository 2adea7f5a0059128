import type { segmentOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { listMembers, overlapSegments, previewSegment } from './members.service.ts';
import { type RefreshPorts, refreshNow } from './refresh.service.ts';
import { enqueueRefresh } from './segments.jobs.ts';
import {
  changeSegment,
  createSegment,
  deleteSegment,
  type FindSegmentUses,
  listUses,
  showSegments,
} from './segments.service.ts';
import { segmentSpec } from './segments.store.ts';

export interface SegmentRoutePorts extends Pick<RefreshPorts, 'watchedSegments'> {
  readonly findSegmentUses: FindSegmentUses;
}

export function segmentRoutes(ports: SegmentRoutePorts): Handlers<typeof segmentOperations> {
  return {
    ...recordHandlers(segmentSpec, {
      show: showSegments,
      create: createSegment,
      change: (tx, id, rowVersion, changes) => changeSegment(tx, id, rowVersion, changes, ports.findSegmentUses),
      remove: (tx, id, addressed) => noContent(deleteSegment(tx, id, addressed, ports.findSegmentUses)),
    }),
    async refresh(tx, { params }) {
      const refreshed = await refreshNow(tx, params.id);
      const watched = await ports.watchedSegments(tx, [params.id]);
      if (refreshed.customerCount === null || watched.has(params.id)) await enqueueRefresh(tx, params.id);
      return reply(200, refreshed);
    },
    async customers(tx, { params, query }) {
      return reply(200, await listMembers(tx, params.id, query));
    },
    async uses(tx, { params }) {
      return reply(200, { data: await listUses(tx, params.id, ports.findSegmentUses) });
    },
    async preview(tx, { body }) {
      return reply(200, await previewSegment(tx, body));
    },
    async overlap(tx, { body }) {
      return reply(200, await overlapSegments(tx, body));
    },
  };
}
