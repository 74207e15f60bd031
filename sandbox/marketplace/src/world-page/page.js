// Shows the marketplace's state, acts for workers, and injects faults. Polls everything every two seconds.

const readEveryMs = 2000;
const mostRequests = 40;

const element = (id) => document.getElementById(id);

async function call(method, path, body) {
  const response = await fetch(`/_sandbox/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text === '' ? {} : JSON.parse(text);
}

/** Runs an action, reports its result, and refreshes the page. */
function act(said, work) {
  const say = (text) => {
    element('said').textContent = text;
  };
  void work()
    .then(
      () => say(said),
      (error) => say(`That did not work: ${error.message}`),
    )
    .then(refresh)
    .catch(() => {});
}

/** Returns an element with text. Never HTML, because the texts are the workers'. */
function node(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function button(name, label, onClick) {
  const made = node('button', name);
  made.type = 'button';
  made.setAttribute('aria-label', label);
  made.addEventListener('click', onClick);
  return made;
}

function buttons(...all) {
  const group = node('div', '', 'buttons');
  group.append(...all);
  return group;
}

/** Submits the proof of a campaign's last task as another worker, as a copyist does. */
async function copyProof(campaign_id) {
  const { tasks, workers } = await fetch('/_sandbox/state').then((response) => response.json());
  const original = tasks.filter((task) => task.campaign_id === campaign_id).at(-1);
  if (original === undefined) throw new Error('Nobody has submitted anything to this campaign yet.');
  const copyist = workers.find(({ worker_id }) => worker_id !== original.worker_id);
  await call('POST', 'submit', { campaign_id, worker_id: copyist?.worker_id, proof: original.proof });
}

/** Returns a form with one field, whose value goes to `onSubmit`. */
function form(label, name, placeholder, onSubmit) {
  const made = node('form', '', 'say');
  const field = document.createElement('input');
  field.autocomplete = 'off';
  field.placeholder = placeholder;
  field.setAttribute('aria-label', label);
  const send = node('button', name);
  send.setAttribute('aria-label', `${name}: ${label}`);
  made.append(field, send);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit(field.value.trim());
  });
  return made;
}

function line(title, note, ...more) {
  const item = document.createElement('li');
  const text = document.createElement('div');
  text.append(node('strong', title), node('div', note, 'quiet'));
  item.append(text, ...more);
  return item;
}

/** Renders the items of a list, unless they are unchanged, so that a focused button keeps its focus. */
function fill(id, key, items) {
  const list = element(id);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const focused = document.activeElement?.getAttribute('aria-label');
  list.replaceChildren(...items());
  if (focused) list.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function showCampaigns({ campaigns, tasks }) {
  const open = campaigns.filter(({ campaign_status }) => campaign_status === 'RUNNING');
  const counted = open.map(({ campaign_id, title }) => {
    const own = tasks.filter((task) => task.campaign_id === campaign_id);
    const count = (rating) => own.filter(({ task_rating }) => task_rating === rating).length;
    return {
      campaign_id,
      title,
      note: `${count('NOTRATED')} waiting · ${count('OK')} OK · ${count('NOK')} NOK · ${count('REVISE')} to be corrected`,
    };
  });
  fill('campaigns', JSON.stringify(counted), () =>
    counted.map(({ campaign_id, title, note }) =>
      line(
        title,
        note,
        buttons(
          button('Submit a task', `Submit a task of ${title}`, () =>
            act(`A worker has submitted a task of “${title}”.`, () =>
              call('POST', 'submit', { campaign_id }),
            ),
          ),
          button('Copy a proof', `Copy a proof of ${title}`, () =>
            act(`Another worker has submitted the same proof to “${title}”.`, () => copyProof(campaign_id)),
          ),
        ),
      ),
    ),
  );
}

function showRevised({ tasks }) {
  const revised = tasks
    .filter(({ task_rating }) => task_rating === 'REVISE')
    .map(({ task_id, employer_comment }) => ({ task_id, comment: employer_comment }));
  fill('revise', JSON.stringify(revised), () =>
    revised.length === 0
      ? [line('None', 'A task that is sent back with REVISE is listed here.')]
      : revised.map(({ task_id, comment }) =>
          line(
            task_id,
            comment,
            form(`Correction of ${task_id}`, 'Correct', 'A better proof, or none: one is made up', (proof) =>
              act('The worker has corrected the task.', () =>
                call('POST', 'correct', { task_id, ...(proof === '' ? {} : { proof: [proof] }) }),
              ),
            ),
          ),
        ),
  );
}

function showRequests(requests) {
  const newest = requests.slice(-mostRequests).reverse();
  fill('requests', String(newest[0]?.n) + String(newest[0]?.status), () =>
    newest.map(({ at, method, path, status, error, fault }) => {
      const answer = [status ?? 'no answer', error, fault && `fault: ${fault}`].filter(Boolean).join(' · ');
      const item = line(`${method} ${path}`, new Date(at).toLocaleTimeString());
      item.append(node('span', answer, error || fault || status !== 200 ? 'quiet failed' : 'quiet'));
      return item;
    }),
  );
}

let known = 0;
let requests = [];

async function refresh() {
  const [state, log] = await Promise.all([
    fetch('/_sandbox/state').then((response) => response.json()),
    fetch(`/_sandbox/requests?since=${Math.max(0, known - 1)}`).then((response) => response.json()),
  ]);
  const first = log.requests[0]?.n ?? Number.POSITIVE_INFINITY;
  requests = [...requests.filter(({ n }) => n < first), ...log.requests].slice(-mostRequests);
  known = requests.at(-1)?.n ?? 0;
  showCampaigns(state);
  showRevised(state);
  showRequests(requests);
}

for (const fault of document.querySelectorAll('[data-fault]')) {
  fault.setAttribute('aria-pressed', 'false');
  fault.addEventListener('click', () =>
    act(`From now on: ${fault.textContent.toLowerCase()}.`, async () => {
      await call('DELETE', 'faults');
      await call('POST', 'faults', JSON.parse(fault.dataset.fault));
      for (const other of document.querySelectorAll('[data-fault]'))
        other.setAttribute('aria-pressed', String(other === fault));
    }),
  );
}
element('mend').addEventListener('click', () =>
  act('It works as it should.', async () => {
    await call('DELETE', 'faults');
    for (const other of document.querySelectorAll('[data-fault]'))
      other.setAttribute('aria-pressed', 'false');
  }),
);
element('write').addEventListener('submit', (event) => {
  event.preventDefault();
  const message = event.target.elements.message.value.trim();
  act('A worker has written a message.', async () => {
    await call('POST', 'write', message === '' ? {} : { subject: message.slice(0, 60), message });
    event.target.reset();
  });
});

await refresh();
setInterval(() => {
  if (!document.hidden) void refresh().catch(() => {});
}, readEveryMs);
