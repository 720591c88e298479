// Brings what the worker tells to the page.

import { Charts } from './charts.mjs';
import { showEngine, showMisses, showWorker } from './figures.mjs';
import { LeaseList } from './lease-list.mjs';
import { Link } from './link.mjs';
import { Model } from './model.mjs';
import { News } from './news.mjs';
import { judge } from './verdict.mjs';

const at = (id) => document.getElementById(id);
const model = new Model();
const list = new LeaseList();
const charts = new Charts();
const news = new News();
const pause = at('pause');
let isPaused = false;
let heardAt = 0;

const link = new Link(take, showLink);

// What is judged may change by time alone, when nothing comes any more.
setInterval(showVerdict, 1_000);

function take(name, frame) {
  heardAt = performance.now();
  model[name](frame, heardAt);
  if (isPaused) return;
  showLeases();
  if (frame.engine) showSecond();
  if (name === 'whole') showWorker(model.worker, model.engine);
  showVerdict();
}

// A page that stands still does so whatever is looked for; and without the worker it shows what was last heard.
function showLeases() {
  const isLive = link.state === 'live';
  list.show(model, model.workerTime(isLive ? performance.now() : heardAt));
  if (isPaused || !isLive) list.freeze();
}

function showSecond() {
  showEngine(model.engine);
  showMisses(model.misses);
  charts.show(model.points, performance.now());
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
    showWorker(model.worker, model.engine);
    showLeases();
    showSecond();
  }

  showVerdict();
});

at('find').addEventListener('input', () => model.engine && showLeases());
