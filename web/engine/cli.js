#!/usr/bin/env node
require("./aspirant.js").runAsProgram();
