// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title For tests: one in a hundred of every transfer is burned on the way
contract FeeToken is ERC20("Fee", "FEE") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        super._update(from, address(0), value / 100);
        super._update(from, to, value - value / 100);
    }
}
