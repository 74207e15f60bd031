import { Readable } from 'node:stream';
import type { endpoints } from '../../src/marketplace/endpoints.ts';
import { type MarketplaceClient, money, type NewCampaign } from '../../src/marketplace/index.ts';

const upload = (filename: string) => ({
  filename,
  contentType: 'text/csv',
  stream: Readable.from([Buffer.from('a,b\n1,2\n')]),
  size: 8,
});
const at = new Date(Date.UTC(2026, 0, 31));
const later = new Date(Date.UTC(2026, 1, 1));

/** A campaign with nothing that may be left out. */
export const leastCampaign: NewCampaign = {
  ...{ title: 'A new campaign', category: '0301', minutesToFinish: 5, availablePositions: 40 },
  ...{ maxPositionsPerWorker: 1, paymentPerTask: money('0.08'), descriptionType: 'UNIQUE' },
  ...{ requiredWork: 'Type [A].', requiredProof: ['one', 'two'], ttr: 6, autoRate: 'V+R', fileProof: 2 },
};

/** A campaign with files, too. */
export const fullCampaign = (): NewCampaign => ({
  ...leastCampaign,
  ...{ groupId: 'g1', file: upload('brief.txt'), csv: upload('rows.csv'), qtRequired: true },
});

/** Returns a call of each endpoint with everything that it takes. */
export function apiCalls(client: MarketplaceClient): Record<keyof typeof endpoints, () => Promise<unknown>> {
  const rated = { comment: 'Well done', bonus: money('0.05'), favorite: 'add' } as const;
  const finished = { finishedFrom: at, finishedTo: later } as const;
  const proof = { workerId: 'w', ip: '203.0.113.9', proof: 'done', file: upload('a.txt') };
  return {
    createCampaign: () => client.createCampaign(fullCampaign()),
    listCategories: () => client.listCategories(),
    rateTasks: () =>
      client.rateTasks(
        'c1',
        ['t1', 't2'].map((taskId) => ({ taskId, rating: 'OK', ...rated })),
      ),
    getTaskInfo: () => client.getTaskInfo('t1'),
    listMessages: () => client.listMessages({ folder: 'INBOX', from: at, to: later, unread: false }),
    readMessage: () => client.readMessage('m1'),
    listCampaignsExtended: () => client.listCampaignsExtended({ folder: 'ARCHIVE' }),
    submitFileProof: () => client.submitFileProof('c1', proof),
    campaignResults: () => client.campaignResults('c1'),
    rateTask: () => client.rateTask('c1', { taskId: 't1', rating: 'NOK', ...rated }),
    retargetCampaign: () => client.retargetCampaign('c1', { include: ['us'], exclude: ['in'] }),
    restartCampaign: () => client.restartCampaign('done', 5),
    listExcludedEmployers: () => client.listExcludedEmployers(),
    listIncludedEmployers: () => client.listIncludedEmployers(),
    listCampaigns: () => client.listCampaigns(),
    deleteMessage: () => client.deleteMessage('m1'),
    unexcludeWorkers: () => client.unexcludeWorkers('all'),
    excludeEmployers: () => client.excludeEmployers(['e']),
    excludeWorkers: () => client.excludeWorkers(['w']),
    downloadFileProof: async () => {
      const { stream } = await client.downloadFileProof('t1', 1);
      let bytes = 0;
      for await (const chunk of stream) bytes += (chunk as Buffer).length;
      return { bytes };
    },
    workerTasks: () => client.workerTasks({ rating: 'OK', ...finished, page: 1, entriesPerPage: 200 }),
  };
}
