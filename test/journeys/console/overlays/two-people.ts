// States that take a second person: requests and reviews, for both sides.
import type { Page } from 'playwright-core';
import { settled } from '../places.ts';
import { ask, go, type Overlay, press, type Row, unused } from './steps.ts';

const someoneElse = { requesterId: '00000000-0000-7000-8000-000000000001', requesterName: 'Zoë Fitzgerald-Okonkwo' };

/** Shows the requests of the page as those of another person, with these changes. */
async function asRequestsOfAnother(page: Page, changes: (request: Row) => object = () => ({})): Promise<void> {
  const shown = (request: Row) => ({ ...request, ...someoneElse, ...changes(request) });
  await page.route(/\/api\/v1\/approvals(\/[0-9a-f-]{36})?(\?.*)?$/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: Array.isArray(body) ? body.map(shown) : shown(body) });
  });
}

/** Requests a change of a new offer. Whoever requests it can't decide it. */
async function requestChange(page: Page, payload: object): Promise<Row> {
  await ask(page, 'PUT', 'tenant-settings', { fourEyesEnabled: true });
  const offer = await ask(page, 'POST', 'offers', { name: unused('Maple Week'), status: 'draft' });
  await ask(page, 'POST', 'approvals', {
    ...{ entityType: 'offer', entityId: offer.id, entityName: offer.name, action: 'update', payload },
  });
  return offer;
}

const open = async (page: Page, address: string): Promise<void> => {
  await go(page, address);
  await page.getByRole('region', { name: 'Requests' }).waitFor();
  await settled(page);
};

/** Shows the page as an editor of a tenant that requires approvals sees it. */
async function asEditor(page: Page, address: string): Promise<void> {
  const isPage = (url: URL) => !url.pathname.startsWith('/api/') && !url.pathname.startsWith('/assets/');
  await page.route(isPage, async (route) => {
    const answer = await route.fetch();
    const html = (await answer.text())
      .replace('"role":"admin"', '"role":"editor"')
      .replace('"approvalWorkflowEnabled":false', '"approvalWorkflowEnabled":true');
    await route.fulfill({ response: answer, body: html });
  });
  await go(page, address);
  await page.unroute(isPage);
}

const requests: readonly Overlay[] = [
  {
    name: 'approval-of-another',
    address: '/approvals',
    open: async (page) => {
      await requestChange(page, { priority: 73, description: 'Pancakes. '.repeat(40) });
      const stage = (ordinal: number, stageName: string, changes: object) => ({
        ...{ id: `${someoneElse.requesterId.slice(0, -1)}${ordinal + 1}`, ordinal, stageName, requiredRole: 'admin' },
        ...{ status: 'pending', decidedBy: null, decidedByName: null, comments: null, decidedAt: null },
        ...changes,
      });
      const decided = { status: 'approved', decidedBy: 'x', decidedByName: 'Grace', comments: 'Fine for brand.' };
      await asRequestsOfAnother(page, ({ createdAt }) => ({
        currentStage: 2,
        stages: [stage(1, 'Brand', { ...decided, decidedAt: createdAt }), stage(2, 'Legal', {})],
      }));
      await open(page, '/approvals');
      await page.getByRole('textbox', { name: 'Comment' }).fill('Not before May.');
      await page.unrouteAll();
    },
  },
  {
    name: 'approval-of-own',
    address: '/approvals',
    open: async (page) => {
      await requestChange(page, { priority: 74 });
      await open(page, '/approvals?tab=mine');
      await page.getByRole('button', { name: 'Approve' }).focus();
      await page.getByRole('tooltip').waitFor();
    },
  },
  {
    name: 'approval-without-record',
    address: '/approvals',
    open: async (page) => {
      const { id } = await requestChange(page, { priority: 75 });
      await ask(page, 'DELETE', `offers/${id}`);
      await asRequestsOfAnother(page);
      await open(page, '/approvals');
      await page.getByText('The record no longer exists').waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'approval-rejected',
    address: '/approvals',
    open: async (page) => {
      await ask(page, 'PUT', 'tenant-settings', { fourEyesEnabled: false });
      const offer = await ask(page, 'POST', 'offers', { name: unused('Maple Week'), status: 'draft' });
      const { id } = await ask(page, 'POST', 'approvals', {
        ...{ entityType: 'offer', entityId: offer.id, entityName: offer.name, action: 'update' },
        payload: { priority: 76 },
      });
      await ask(page, 'POST', `approvals/${id}`, { action: 'reject', comments: 'Too close to Cold Brew Season.' });
      await open(page, '/approvals?tab=done');
      await page.getByText('Too close to Cold Brew Season.').waitFor();
    },
  },
  {
    name: 'record-with-request',
    address: '/approvals',
    open: async (page) => {
      const { id } = await requestChange(page, { priority: 77 });
      await asEditor(page, `/offers/${id}`);
      await page.getByText('A change to this record is waiting for approval').waitFor();
    },
  },
  {
    name: 'approval-requested-by-editor',
    address: '/policies/new',
    open: async (page) => {
      await asEditor(page, '/policies/new');
      await press(page, 'Quiet hours');
      await page.getByText('An approver reviews this first. Nothing changes until then.').waitFor();
    },
  },
];

const reviews: readonly Overlay[] = [
  {
    name: 'content-of-author',
    address: '/content',
    open: async (page) => {
      await ask(page, 'PUT', 'tenant-settings', { fourEyesEnabled: true });
      const { id } = await ask(page, 'POST', 'content', { name: unused('Letter'), channelType: 'email' });
      await ask(page, 'POST', `content/${id}/submit`, {});
      await go(page, `/content/${id}`);
      await page.getByRole('button', { name: 'Approve' }).focus();
      await page.getByRole('tooltip').waitFor();
    },
  },
  {
    name: 'content-rejected',
    address: '/content',
    open: async (page) => {
      await ask(page, 'PUT', 'tenant-settings', { fourEyesEnabled: false });
      const { id } = await ask(page, 'POST', 'content', { name: unused('Letter'), channelType: 'email' });
      await ask(page, 'POST', `content/${id}/submit`, {});
      await ask(page, 'POST', `content/${id}/reject`, { reason: 'The season is missing.' });
      await go(page, `/content/${id}`);
      await page.getByText('The season is missing.').waitFor();
    },
  },
];

export const twoPeopleOverlays: readonly Overlay[] = [...requests, ...reviews];
