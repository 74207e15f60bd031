// Sends the filled-in form, and shows the request and its answer.

const keyHeader = document.body.dataset.keyHeader;

/** Returns the request for a form. Empty fields are not sent. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const body = form.dataset.encoding === 'multipart/form-data' ? new FormData() : new URLSearchParams();
  const shown = [];
  for (const input of form.querySelectorAll('[data-location]')) {
    const values = valuesOf(input);
    if (input.dataset.location === 'path') {
      path = path.replace(`{${input.name}}`, encodeURIComponent(values[0] ?? ''));
    } else {
      for (const value of values) {
        (input.dataset.location === 'query' ? query : body).append(input.name, value);
        if (input.dataset.location === 'body') {
          shown.push(
            `${input.name}: ${value instanceof File ? `${value.name}, ${value.size} bytes` : value}`,
          );
        }
      }
    }
  }
  const search = query.size > 0 ? `?${query}` : '';
  return {
    address: path + search,
    options: {
      method: form.dataset.method,
      headers: { [keyHeader]: document.getElementById('key').value },
      ...(form.dataset.encoding === '' ? {} : { body }),
    },
    shown: [`${form.dataset.method} ${path}${search}`, ...shown].join('\n'),
  };
}

function valuesOf(input) {
  if (input.type === 'file') return [...input.files];
  if (input.value === '') return [];
  // Lists are matched by position, so empty lines between others count.
  return 'many' in input.dataset ? input.value.split('\n') : [input.value];
}

/** Returns an answer in readable form: indented JSON, or a link to a file. */
async function contentOf(response) {
  const disposition = response.headers.get('content-disposition');
  if (disposition !== null) {
    const link = document.createElement('a');
    const name = /filename\*=UTF-8''([^;]+)/u.exec(disposition)?.[1] ?? 'file';
    link.href = URL.createObjectURL(await response.blob());
    link.download = decodeURIComponent(name);
    link.textContent = link.download;
    return link;
  }
  const body = await response.text();
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function part(title, content) {
  const heading = document.createElement('h3');
  heading.textContent = title;
  const pre = document.createElement('pre');
  pre.append(content);
  return [heading, pre];
}

async function send(form) {
  const button = form.querySelector('button');
  const answer = form.querySelector('.answer');
  const { address, options, shown } = requestOf(form);
  button.disabled = true;
  try {
    const started = performance.now();
    const response = await fetch(address, options);
    const content = await contentOf(response);
    const ms = Math.round(performance.now() - started);
    answer.replaceChildren(
      ...part('Request', shown),
      ...part(`Answer: HTTP ${response.status}, ${ms} ms`, content),
    );
  } catch (error) {
    answer.replaceChildren(...part('Request', shown), ...part('No answer', String(error)));
  }
  answer.hidden = false;
  button.disabled = false;
}

document.addEventListener('submit', (event) => {
  event.preventDefault();
  void send(event.target);
});

/** Opens the operation that the address links to. */
function openLinked() {
  const linked = document.getElementById(location.hash.slice(1));
  if (linked instanceof HTMLDetailsElement) {
    linked.open = true;
    linked.scrollIntoView();
  }
}
addEventListener('hashchange', openLinked);
openLinked();
