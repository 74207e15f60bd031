import { describe, expect, it } from 'vitest';
import { campaignStatuses } from '../../src/domain/terms.ts';
import { startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { market, api } = await startSandboxMarketplace();

describe('retarget', () => {
  const retarget = (id: string, countries: string[]) =>
    api.put(`campaign_b/retarget/${id}`, { 'countries[]': countries });

  it('changes the targeting and answers the codes as sent', async () => {
    const { campaign_id } = await market.addCampaign();
    expect((await retarget(campaign_id, ['US', 'GB', '-IN'])).body).toEqual({
      status: 'SUCCESS',
      campaign_id,
      retargeted: ['US', 'GB', '-IN'],
    });
    const { campaigns } = await market.state();
    expect(campaigns.find((one) => one.campaign_id === campaign_id)).toMatchObject({
      targeted_countries: ['US', 'GB'],
      excluded_countries: ['IN'],
    });
    const list = await api.get('campaigns_b/list_extend');
    expect(
      (list.body.campaigns as { campaign_id: string }[]).find((one) => one.campaign_id === campaign_id),
    ).toMatchObject({
      targeted_countries: 'US,GB',
      excluded_countries: 'IN',
    });
  });

  it('takes another mark of an exclude', async () => {
    await market.settings({ excludeMark: '!' });
    const { campaign_id } = await market.addCampaign();
    await retarget(campaign_id, ['US', '!IN']);
    expect((await market.state()).campaigns.at(-1)?.excluded_countries).toEqual(['IN']);
    expect((await retarget(campaign_id, ['-IN'])).body.error).toBe('"-IN" IS UNKNOWN COUNTRY CODE');
  });

  it.each([
    [[], 'NO INPUT'],
    [['US', 'us'], '"us" IS UNKNOWN COUNTRY CODE'],
    [['-XX', 'US'], '"XX" IS UNKNOWN COUNTRY CODE'],
    [
      ['US', ...'AT BE CH DE DK ES FI FR IT NL NO'.split(' ').map((code) => `-${code}`)],
      'TOO MANY EXCLUDES (MAX 10)',
    ],
    [['-US'], 'INCLUDES NECESSARY (MIN 1)'],
    [['US', 'DE', '-FR'], 'NOT ALL OF THE SELECTED COUNTRIES ARE AVAILABLE IN THIS ZONE:DE,FR'],
  ])('refuses %j: %s', async (countries, error) => {
    const { campaign_id } = await market.addCampaign({ zone: 'west1' });
    expect((await retarget(campaign_id, countries)).body).toEqual({ status: 'ERROR', error, campaign_id });
  });

  it('lets ten excludes pass, and NO SUCH CAMPAIGN for others', async () => {
    const { campaign_id } = await market.addCampaign();
    const ten = 'AT BE CH DE DK ES FI FR IT NL'.split(' ').map((code) => `-${code}`);
    expect((await retarget(campaign_id, ['US', ...ten])).body.status).toBe('SUCCESS');
    expect((await retarget('nope', ['US'])).body).toEqual({
      status: 'ERROR',
      error: 'NO SUCH CAMPAIGN',
      campaign_id: 'nope',
    });
  });

  it('waits between two: the time is told as a datetime or in epoch seconds, and kept', async () => {
    const { campaign_id } = await market.addCampaign();
    const before = Date.now();
    await retarget(campaign_id, ['US']);
    const { body } = await retarget(campaign_id, ['GB']);
    const told = /^NEXT RETARGET:(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})$/.exec(String(body.error))?.[1] ?? '';
    const wait = Date.parse(`${told.replace(' ', 'T')}Z`) - before;
    expect(wait).toBeGreaterThan(298_000);
    expect(wait).toBeLessThan(320_000);
    await market.settings({ retargetTimestamp: 'epoch' });
    expect((await retarget(campaign_id, ['GB'])).body.error).toMatch(/^NEXT RETARGET:\d{10}$/);
    expect((await market.state()).campaigns.at(-1)?.targeted_countries).toEqual(['US']);
    await market.settings({ retargetWaitSeconds: 0 });
    expect((await retarget(campaign_id, ['GB'])).body.status).toBe('SUCCESS');
  });
});

describe('restart_campaign', () => {
  it('adds positions, and time moves the campaign from PENDING_RESTART to RUNNING', async () => {
    const { campaign_id } = await market.addCampaign({ status: 'FINISHED', available_positions: 10 });
    const statusNow = async () =>
      (await market.state()).campaigns.find((one) => one.campaign_id === campaign_id)?.campaign_status;
    expect((await api.put(`campaign_b/restart_campaign/${campaign_id}`, { positions: '15' })).body).toEqual({
      status: 'SUCCESS',
      campaign_id,
      positions_added: '15',
    });
    expect(await statusNow()).toBe('PENDING_RESTART');
    expect((await market.state()).campaigns.at(-1)?.available_positions).toBe(25);
    await market.settings({ restartSeconds: 0 });
    expect(await statusNow()).toBe('RUNNING');
  });

  it.each(campaignStatuses.filter((status) => status !== 'FINISHED'))(
    'refuses a campaign that is %s',
    async (status) => {
      const { campaign_id } = await market.addCampaign({ status });
      const { body } = await api.put(`campaign_b/restart_campaign/${campaign_id}`, { positions: '5' });
      expect(body).toMatchObject({ status: 'ERROR', error: 'CAMPAIGN NOT FINISHED', campaign_id });
      expect(body.errors_list).toEqual([expect.stringContaining(status)]);
    },
  );

  it.each([
    ['', 'Positions is invalid'],
    ['ten', 'Positions is invalid'],
    ['1.5', 'Positions is invalid'],
    ['0', 'Positions must be bigger than zero'],
    ['-3', 'Positions must be bigger than zero'],
  ])('refuses %j positions', async (positions, text) => {
    const { campaign_id } = await market.addCampaign({ status: 'FINISHED' });
    expect((await api.put(`campaign_b/restart_campaign/${campaign_id}`, { positions })).body).toEqual({
      status: 'ERROR',
      error: 'INPUT_DATA',
      campaign_id,
      errors_list: [text],
    });
  });

  it('knows only own campaigns', async () => {
    expect((await api.put('campaign_b/restart_campaign/nope', { positions: '1' })).body.error).toBe(
      'NO SUCH CAMPAIGN',
    );
  });
});
