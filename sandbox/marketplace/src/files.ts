import { Refusal, refuseInput, success } from './answers.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { ownCampaign } from './endpoint.ts';
import { countryOfIp } from './geography.ts';
import type { Campaign, ProofFile, Worker } from './model.ts';
import { addTask, finishIfFull, freePositions } from './model.ts';
import { ownTask } from './ratings.ts';

/** Section 20: the last part of the path is `<task_id>_<index>`. */
const downloadFileProof: Endpoint = {
  method: 'GET',
  path: '/campaign_hg/download_file_proof/:id',
  handle(call) {
    const parts = /^(.*)_(\d+)$/.exec(call.id);
    const taskId = parts?.[1] ?? call.id;
    const context = { task_id: taskId, ...(parts?.[2] === undefined ? {} : { index: parts[2] }) };
    const task = ownTask(call, taskId, context);
    const file = task.files[Number(parts?.[2] ?? 0) - 1];
    if (!file) throw new Refusal('NO FILE PROOF', context);
    if (file.broken) throw new Refusal('DOWNLOAD ERROR', context);
    return { file };
  },
};

/** The antivirus industry's harmless test text, which stands for a virus here. */
const eicar = 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE';

const supportedFormats = /\.(png|jpe?g|gif|webp|bmp|pdf|txt|csv|docx?|xlsx?|odt|zip|mp3|mp4)$/i;

/** Returns why a worker's submission is refused, as one of submit_file_proof's `error` texts; undefined if it is not. */
function submissionError(
  call: Call,
  campaign: Campaign,
  worker: Worker,
  sent: { ip: string; proof: string; file: ProofFile | undefined },
): string | undefined {
  const { excluded_countries: excludes, targeted_countries: includes } = campaign;
  const ipCountry = countryOfIp(sent.ip);
  const own = campaign.tasks.filter((task) => task.worker_id === worker.worker_id).length;
  if (worker.restricted) return 'Account has been restricted from doing any jobs.';
  if (!worker.phone_validated) return 'Worker must validate phone number before doing any jobs.';
  if (campaign.campaign_status !== 'RUNNING' || freePositions(campaign) <= 0) {
    return 'This job is currently not running.';
  }
  if (call.account.excluded_workers.has(worker.worker_id)) {
    return 'Targetted campaign cannot be accepted by this user.';
  }
  if (excludes.includes(worker.country)) return "User's country is in excluded countries list.";
  if (includes.length > 0 && (ipCountry === undefined || !includes.includes(ipCountry))) {
    return includes.length === 1
      ? "User's IP is not in accepted country."
      : "User's IP isn't in any of accepted countries.";
  }
  if (ipCountry !== worker.country) return 'IP address does not match.';
  if (worker.success_rate < campaign.min_success_rate) return "Worker's success rate is to low.";
  if (own >= campaign.max_positions_per_worker) return 'Worker already submitted this task.';
  if (campaign.tasks.some((task) => task.ip === sent.ip && task.worker_id !== worker.worker_id)) {
    return 'Worker with same IP already submitted this task.';
  }
  if (sent.proof.trim() === '' || (campaign.file_proof === 2 && !sent.file)) return 'Proof is required.';
  if (campaign.auto_rate !== 'NO' && campaign.vcode !== '' && !sent.proof.includes(campaign.vcode)) {
    return 'VCODE is incorrect.';
  }
  if (call.form.truncated) return 'File upload failure';
  if (sent.file) {
    if (!supportedFormats.test(sent.file.filename)) return 'File format is not supported';
    if (sent.file.bytes.includes(eicar)) return 'File has a virus';
  }
  return undefined;
}

/** Section 8. */
const submitFileProof: Endpoint = {
  method: 'POST',
  path: '/campaign_b/submit_file_proof/:id',
  handle(call) {
    const { form, world } = call;
    const campaign = ownCampaign(call);
    const context = { campaign_id: campaign.campaign_id };
    const sent = { ip: form.one('ip'), proof: form.one('proof'), file: form.file('file_proof') };
    const errors: string[] = [];
    if (form.one('user_id') === '') errors.push('User Id is missing');
    if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(sent.ip)) errors.push('Ip has invalid value');
    refuseInput(errors, context);
    const worker = world.workers.get(form.one('user_id'));
    if (!worker) throw new Refusal('UNKNOWN WORKER', context);
    const error = submissionError(call, campaign, worker, sent);
    if (error !== undefined) throw new Refusal(error, context);
    const verified = campaign.auto_rate === 'V+R' && campaign.vcode !== '';
    const task = addTask(world, campaign, {
      worker_id: worker.worker_id,
      csv_record_nr: campaign.description_type === 'UNIQUE' ? campaign.tasks.length + 1 : 0,
      country: worker.country,
      ip: sent.ip,
      user_agent: worker.user_agent,
      proof: [sent.proof],
      files: sent.file ? [sent.file] : [],
      task_rating: verified ? 'OK' : 'NOTRATED',
      finished: call.now,
    });
    finishIfFull(campaign, call.now);
    return success({ ...context, task_id: task.task_id });
  },
};

export const fileEndpoints: readonly Endpoint[] = [downloadFileProof, submitFileProof];
