// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The cheat codes of Foundry that the tests of properties use
interface Vm {
    function addr(uint256 key) external pure returns (address account);
    function assume(bool condition) external pure;
    function getBlockTimestamp() external view returns (uint256 timestamp);
    function prank(address caller) external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 timestamp) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
