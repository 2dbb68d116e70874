// RUN: mapwright maps %s --direction both | FileCheck %s

// The index space of an array has its levels in front of the dimensions of a leaf; how long a list is, is a runtime variable.
