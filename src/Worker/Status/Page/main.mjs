// Brings what the worker tells to the page.

import { Charts } from './charts.mjs';
import { turnTo } from './edition.mjs';
import { showEngine, showMisses, showWorker } from './figures.mjs';
import { LeaseList } from './lease-list.mjs';
import { Link } from './link.mjs';
import { Model } from './model.mjs';
import { News } from './news.mjs';
import { judge } from './verdict.mjs';

const TYPED_AFTER = 1_000;

const at = (id) => document.getElementById(id);
const model = new Model();
const list = new LeaseList();
const charts = new Charts();
const news = new News();
const pause = at('pause');
let isPaused = false;
let heardAt = 0;
let findTold;

const link = new Link(take, showLink);

// What is judged may change by time alone, when nothing comes any more.
setInterval(showVerdict, 1_000);

// What the page said while it had no script is past.
showVerdict();

function take(name, frame) {
  heardAt = performance.now();
  model[name](frame, heardAt);
  if (isPaused) return;
  showLeases();
  if (frame.engine) showSecond();
  if (name === 'whole') showFacts();
  showVerdict();
}

function showFacts() {
  turnTo(model.worker.page);
  showWorker(model.worker, model.engine);
}

// Without the worker it shows what was last heard.
function showLeases() {
  const isLive = link.state === 'live';
  list.show(model, model.workerTime(isLive ? performance.now() : heardAt));
  if (!isLive) list.freeze();
}

function showSecond() {
  showEngine(model.engine);
  showMisses(model.misses);
  charts.show(model.history(), performance.now());
}

function showLink() {
  document.body.dataset.link = link.state;
  if (link.state !== 'live') list.freeze();
  showVerdict();
}

function showVerdict() {
  const { mood, topic, headline, detail } = judge(model, link, model.workerDate(performance.now()) ?? Date.now());
  at('verdict').dataset.mood = mood;
  put('headline', headline);
  put('detail', isPaused ? `Paused. ${detail}` : detail);
  const told = news.hear(topic, performance.now());
  if (told !== null) at('news').textContent = told;
}

function put(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text;
}

pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', isPaused);
  if (isPaused) {
    list.freeze();
  } else if (model.engine) {
    showFacts();
    showLeases();
    showSecond();
  }

  showVerdict();
});

// Each letter that is typed finds something else: told is what was found in the end.
at('find').addEventListener('input', () => {
  if (isPaused) list.look();
  else if (model.engine) showLeases();
  clearTimeout(findTold);
  findTold = setTimeout(() => put('found', list.found), TYPED_AFTER);
});
