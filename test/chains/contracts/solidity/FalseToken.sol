// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title For tests: answers false, and does nothing, where other tokens revert
contract FalseToken is ERC20("False", "FALSE") {
    bool public refusesPush;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setRefusesPush(bool value) external {
        refusesPush = value;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        if (refusesPush || balanceOf(msg.sender) < value) return false;
        return super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (allowance(from, msg.sender) < value || balanceOf(from) < value) return false;
        return super.transferFrom(from, to, value);
    }
}
