/**
 * Places of a graph's nodes: in layers from left to right, whoever waits left of what is waited for. It depends on nothing
 * but the graph, and on names only where the graph leaves a choice; so the same graph has the same picture each time.
 */

export const NODE = {width: 190, height: 46};
const GAP = {x: 44, y: 12, thin: 6, group: 36};
const SWEEPS = 6;

/**
 * Of `nodes` ({key, first}) and `edges` ({from, to} of keys): `places` (key to {x, y}, the left upper corner), `routes` (one
 * for each edge: points, from right to left where it goes back), `width`, `height`, and the `keys` in the order to read.
 * Groups that are not connected stand side by side, as many as `room` has space for; those with `first` nodes first.
 */
export function layout(nodes, edges, room) {
  const groups = components(nodes, edges).map(arrange);
  return pack(groups, room, edges);
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ---- groups

function components(nodes, edges) {
  const parent = new Map(nodes.map(({key}) => [key, key]));
  const root = key => {
    while (parent.get(key) !== key) {
      parent.set(key, parent.get(parent.get(key)));
      key = parent.get(key);
    }
    return key;
  };
  for (const {from, to} of edges) parent.set(root(from), root(to));
  const groups = new Map();
  for (const node of [...nodes].sort((a, b) => compare(a.key, b.key))) {
    const key = root(node.key);
    if (!groups.has(key)) groups.set(key, {nodes: [], edges: [], first: false});
    groups.get(key).nodes.push(node);
    groups.get(key).first ||= node.first;
  }
  for (const edge of edges) groups.get(root(edge.from)).edges.push(edge);
  // Nodes are sorted, so the first of each group is a name that stays while waiters come and go.
  return [...groups.values()].sort((a, b) => Number(b.first) - Number(a.first) || compare(a.nodes[0].key, b.nodes[0].key));
}

// ---- one group

function arrange(group) {
  const back = backEdges(group);
  const cells = new Map(group.nodes.map(({key}) => [key, {key, left: [], right: [], height: NODE.height}]));
  const forward = group.edges.map(edge => back.has(edge) ? [edge.to, edge.from] : [edge.from, edge.to]);
  layer(cells, forward);
  const layers = [];
  for (const cell of cells.values()) put(layers, cell);
  const chains = forward.map(([from, to]) => chain(cells.get(from), cells.get(to), layers));
  sortLayers(layers);
  setHeights(layers);
  return measure(group, layers, chains, back);
}

function put(layers, cell) {
  while (layers.length <= cell.layer) layers.push([]);
  layers[cell.layer].push(cell);
}

/** The edges that close a cycle, by a search in depth that begins where nothing comes in. */
function backEdges({nodes, edges}) {
  const out = new Map(nodes.map(({key}) => [key, []]));
  const entered = new Set();
  for (const edge of edges) {
    out.get(edge.from).push(edge);
    entered.add(edge.to);
  }
  for (const each of out.values()) each.sort((a, b) => compare(a.to, b.to));
  const back = new Set();
  const state = new Map();
  const visit = key => {
    state.set(key, 'open');
    for (const edge of out.get(key)) {
      if (state.get(edge.to) === 'open') back.add(edge);
      else if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(key, 'done');
  };
  const keys = nodes.map(({key}) => key);
  for (const key of [...keys.filter(key => !entered.has(key)), ...keys]) if (!state.has(key)) visit(key);
  return back;
}

/** Each as far left as what waits for it allows; whatever has nothing to its left, just before the first to its right. */
function layer(cells, forward) {
  const after = new Map([...cells.keys()].map(key => [key, []]));
  const missing = new Map([...cells.keys()].map(key => [key, 0]));
  for (const [from, to] of forward) {
    after.get(from).push(to);
    missing.set(to, missing.get(to) + 1);
  }
  const sources = [...cells.keys()].filter(key => missing.get(key) === 0);
  const ready = [...sources];
  for (const cell of cells.values()) cell.layer = 0;
  while (ready.length) {
    const key = ready.shift();
    for (const to of after.get(key)) {
      cells.get(to).layer = Math.max(cells.get(to).layer, cells.get(key).layer + 1);
      missing.set(to, missing.get(to) - 1);
      if (missing.get(to) === 0) ready.push(to);
    }
  }
  for (const key of sources) {
    const next = after.get(key).map(to => cells.get(to).layer);
    if (next.length) cells.get(key).layer = Math.min(...next) - 1;
  }
}

/** The cells from one to the other, with a thin one in each layer between them, so that edges go round what is there. */
function chain(from, to, layers) {
  const cells = [from];
  for (let i = from.layer + 1; i < to.layer; i++) {
    const thin = {key: `${from.key} ${to.key}`, layer: i, left: [], right: [], height: GAP.thin};
    put(layers, thin);
    cells.push(thin);
  }
  cells.push(to);
  for (let i = 1; i < cells.length; i++) {
    cells[i - 1].right.push(cells[i]);
    cells[i].left.push(cells[i - 1]);
  }
  return cells;
}

function sortLayers(layers) {
  for (const cells of layers) {
    cells.sort((a, b) => compare(a.key, b.key));
    number(cells);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const rightwards = sweep % 2 === 0;
    for (const cells of rightwards ? layers : [...layers].reverse()) {
      for (const cell of cells) cell.wish = mean(rightwards ? cell.left : cell.right, other => other.place, cell.place);
      cells.sort((a, b) => a.wish - b.wish || compare(a.key, b.key));
      number(cells);
    }
  }
}

/** In parts of the layer, since layers differ in length. */
function number(cells) {
  cells.forEach((cell, i) => {
    cell.place = (i + 0.5) / cells.length;
  });
}

function mean(cells, of, otherwise) {
  return cells.length ? cells.reduce((sum, cell) => sum + of(cell), 0) / cells.length : otherwise;
}

function setHeights(layers) {
  for (const cells of layers) {
    let y = 0;
    for (const cell of cells) {
      cell.y = y + cell.height / 2;
      y += cell.height + GAP.y;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const cells of sweep % 2 ? layers : [...layers].reverse()) {
      settle(cells, cells.map(cell => mean([...cell.left, ...cell.right], other => other.y, cell.y)));
    }
  }
}

/** As near to their wishes as their order and distances allow: runs that would overlap share the mean of their wishes. */
function settle(cells, wishes) {
  const offsets = [];
  let offset = 0;
  cells.forEach((cell, i) => {
    if (i) offset += (cells[i - 1].height + cell.height) / 2 + GAP.y;
    offsets.push(offset);
  });
  const blocks = [];
  wishes.forEach((wish, i) => {
    blocks.push({sum: wish - offsets[i], size: 1});
    while (blocks.length > 1 && blocks.at(-2).sum / blocks.at(-2).size > blocks.at(-1).sum / blocks.at(-1).size) {
      const last = blocks.pop();
      blocks.at(-1).sum += last.sum;
      blocks.at(-1).size += last.size;
    }
  });
  let i = 0;
  for (const {sum, size} of blocks) for (let n = 0; n < size; n++, i++) cells[i].y = sum / size + offsets[i];
}

/** From middles to corners, beginning at 0, 0. */
function measure(group, layers, chains, back) {
  const top = Math.min(...layers.flat().map(cell => cell.y - cell.height / 2));
  const bottom = Math.max(...layers.flat().map(cell => cell.y + cell.height / 2));
  const x = index => index * (NODE.width + GAP.x);
  const places = new Map();
  const keys = [];
  layers.forEach((cells, index) => cells.filter(cell => cell.height === NODE.height).forEach(cell => {
    places.set(cell.key, {x: x(index), y: cell.y - NODE.height / 2 - top});
    keys.push(cell.key);
  }));
  const routes = new Map(group.edges.map((edge, i) => [edge, route(chains[i], x, top, back.has(edge))]));
  return {places, routes, keys, width: x(layers.length) - GAP.x, height: bottom - top};
}

/** Points to go through; those of an edge that goes back a little lower, since there may be one forth at the same place. */
function route(cells, x, top, goesBack) {
  const points = [];
  cells.forEach((cell, i) => {
    const y = cell.y - top + (goesBack ? 9 : 0);
    if (i) points.push({x: x(cell.layer), y});
    if (i < cells.length - 1) points.push({x: x(cell.layer) + NODE.width, y});
  });
  return goesBack ? points.reverse() : points;
}

// ---- all groups

function pack(groups, room, edges) {
  const whole = {places: new Map(), routes: new Map(), keys: [], width: 0, height: 0};
  let x = 0;
  let y = 0;
  let tallest = 0;
  for (const group of groups) {
    if (x > 0 && x + group.width > room) {
      x = 0;
      y += tallest + GAP.group;
      tallest = 0;
    }
    const move = point => ({x: point.x + x, y: point.y + y});
    for (const [key, place] of group.places) whole.places.set(key, move(place));
    for (const [edge, points] of group.routes) whole.routes.set(edge, points.map(move));
    whole.keys.push(...group.keys);
    whole.width = Math.max(whole.width, x + group.width);
    tallest = Math.max(tallest, group.height);
    x += group.width + GAP.group;
  }
  return {...whole, routes: edges.map(edge => whole.routes.get(edge)), height: y + tallest};
}
